#include "ops/simd/code_sums.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/simd/code_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kSums = 16;

/// Sums in double, each of every 16th number, whatever the length of a vector.
class Sums {
 public:
  using Doubles = hn::CappedTag<double, kSums>;
  using Floats = hn::Rebind<float, Doubles>;

  /// Adds a * b of the lanes from `first` on. A product of two floats is exact in double.
  HWY_INLINE void add(size_t first, hn::Vec<Floats> a, hn::Vec<Floats> b) {
    const Doubles d;
    const auto sum = hn::MulAdd(hn::PromoteTo(d, a), hn::PromoteTo(d, b), hn::Load(d, sums_ + first));
    hn::Store(sum, d, sums_ + first);
  }

  [[nodiscard]] double total() const { return std::accumulate(sums_, sums_ + kSums, 0.0); }

 private:
  HWY_ALIGN double sums_[kSums] = {};
};

using Vector = hn::Vec<Sums::Floats>;

/// Calls work(first sum, weights, codes) for each vector of weights; zeros follow the last weight.
template <class Work>
HWY_INLINE void for_codes(const float* weights, size_t count, float scale, CodeRange codes, const Work& work) {
  const Sums::Floats f;
  const size_t lanes = hn::Lanes(f);
  const Vector scales = hn::Set(f, scale), rounder = hn::Set(f, 0x1.8p23F);  // adds and subtracts: rounds half to even
  const Vector lowest = hn::Set(f, static_cast<float>(codes.lowest)),
               highest = hn::Set(f, static_cast<float>(codes.highest));
  const auto one = [&](size_t first, const float* from) {
    const Vector w = hn::LoadU(f, from);
    const Vector rounded = hn::Sub(hn::Add(hn::Div(w, scales), rounder), rounder);
    work(first, w, hn::Min(hn::Max(rounded, lowest), highest));
  };
  size_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (size_t j = 0; j < kSums; j += lanes) one(j, weights + i + j);
  HWY_ALIGN float rest[kSums] = {};
  std::copy(weights + i, weights + count, rest);
  for (size_t j = 0; i < count && j < kSums; j += lanes) one(j, rest + j);
}

CodeSums SumsOfCodes(const float* weights, size_t count, float scale, CodeRange codes) {
  Sums products, squares;
  for_codes(weights, count, scale, codes, [&](size_t first, Vector w, Vector code) {
    products.add(first, code, w);
    squares.add(first, code, code);
  });
  return {products.total(), squares.total()};
}

double SquaredError(const float* weights, size_t count, float scale, CodeRange codes) {
  const Sums::Doubles d;
  const auto scales = hn::Set(d, static_cast<double>(scale));
  Sums squares;
  for_codes(weights, count, scale, codes, [&](size_t first, Vector w, Vector code) {
    // Exact products: whether a machine fuses an addition with them makes no difference.
    const auto apart = hn::DemoteTo(Sums::Floats(), hn::MulSub(hn::PromoteTo(d, code), scales, hn::PromoteTo(d, w)));
    squares.add(first, apart, apart);
  });
  return squares.total();
}

}  // namespace
}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(SumsOfCodes);
HWY_EXPORT(SquaredError);

CodeSums sums_of_codes(std::span<const float> weights, float scale, CodeRange codes) {
  return HWY_DYNAMIC_DISPATCH(SumsOfCodes)(weights.data(), weights.size(), scale, codes);
}

double squared_code_error(std::span<const float> weights, float scale, CodeRange codes) {
  return HWY_DYNAMIC_DISPATCH(SquaredError)(weights.data(), weights.size(), scale, codes);
}

}  // namespace detent
#endif
