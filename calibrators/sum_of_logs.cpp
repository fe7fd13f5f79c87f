#include "calibrators/sum_of_logs.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "calibrators/sum_of_logs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Behind foreach_target.h: it is compiled for each target, too.
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double SumOfLogs(const double* counts, const double* bins, size_t size) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sums = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto count = hn::LoadU(d, counts + i);
    sums = hn::MulAdd(count, hn::Log(d, hn::Div(count, hn::LoadU(d, bins + i))), sums);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < size; ++i) sum += counts[i] * std::log(counts[i] / bins[i]);
  return sum;
}

}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(SumOfLogs);

double sum_of_logs(std::span<const double> counts, std::span<const double> bins) {
  return HWY_DYNAMIC_DISPATCH(SumOfLogs)(counts.data(), bins.data(), counts.size());
}

}  // namespace detent
#endif
