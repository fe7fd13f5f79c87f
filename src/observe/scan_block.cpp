#include "observe/scan_block.h"

#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "observe/scan_block.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint32_t kMagnitudeMask = 0x7fffffffu;
constexpr uint32_t kSmallestBits = 0x2b800000u;  // 2^-40: bit patterns of magnitudes order as the magnitudes do
constexpr int kSignToNegativeSide = 31 - 12;     // moves the sign bit to the value 4096

// AVX-512 has an instruction for it; elsewhere Highway 1.0.3 copies a table to the stack for every vector under GCC 12.
constexpr bool kCompress = HWY_TARGET <= HWY_AVX3;

/// Extremes so far, and the indices written.
class Scan {
 public:
  Scan(float inverse_width, uint32_t* indices)
      : inverse_width_(hn::Set(df_, inverse_width)),
        min_(hn::Set(df_, std::numeric_limits<float>::infinity())),
        max_(hn::Set(df_, -std::numeric_limits<float>::infinity())),
        largest_(hn::Zero(di_)),
        begin_(indices),
        out_(indices) {}

  /// `counted` selects the lanes whose indices are wanted; the others must repeat some element of the block.
  template <class Vector>
  HWY_INLINE void step(Vector x, hn::Mask<hn::ScalableTag<int32_t>> counted) {
    const auto bits = hn::BitCast(di_, x);
    const auto magnitude = hn::And(bits, hn::Set(di_, static_cast<int32_t>(kMagnitudeMask)));
    largest_ = hn::Max(largest_, magnitude);
    const auto not_zero = hn::Gt(magnitude, hn::Set(di_, static_cast<int32_t>(kSmallestBits - 1)));
    const auto value = hn::IfThenElseZero(hn::RebindMask(df_, not_zero), x);
    min_ = hn::Min(min_, value);
    max_ = hn::Max(max_, value);
    const auto bin = hn::ConvertTo(di_, hn::Mul(hn::BitCast(df_, magnitude), inverse_width_));
    const auto side = hn::And(hn::ShiftRight<kSignToNegativeSide>(bits), hn::Set(di_, 4096));
    const auto wanted = hn::And(not_zero, counted);
    const size_t found = hn::CountTrue(di_, wanted);
    non_zero_ += found;
    if constexpr (kCompress) {
      hn::StoreU(hn::BitCast(du_, hn::Compress(hn::Add(bin, side), wanted)), du_, out_);
      out_ += found;
    } else {
      const auto nowhere = hn::Iota(di_, static_cast<int32_t>(kNowhere));
      hn::StoreU(hn::BitCast(du_, hn::IfThenElse(wanted, hn::Add(bin, side), nowhere)), du_, out_);
      out_ += hn::Lanes(di_);
    }
  }

  BlockScan result() const {
    return {static_cast<size_t>(out_ - begin_), non_zero_, static_cast<uint32_t>(hn::GetLane(hn::MaxOfLanes(di_, largest_))),
            hn::GetLane(hn::MinOfLanes(df_, min_)), hn::GetLane(hn::MaxOfLanes(df_, max_))};
  }

 private:
  hn::ScalableTag<float> df_;
  hn::ScalableTag<int32_t> di_;
  hn::ScalableTag<uint32_t> du_;
  hn::Vec<hn::ScalableTag<float>> inverse_width_, min_, max_;
  hn::Vec<hn::ScalableTag<int32_t>> largest_;
  uint32_t* begin_;
  uint32_t* out_;
  size_t non_zero_ = 0;
};

BlockScan ScanBlock(const float* values, size_t count, float inverse_width, uint32_t* indices) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<int32_t> di;
  const size_t lanes = hn::Lanes(df);
  static_assert(hn::MaxLanes(hn::ScalableTag<float>()) <= kScanSlack);
  Scan scan(inverse_width, indices);
  const auto all = hn::FirstN(di, lanes);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) scan.step(hn::LoadU(df, values + i), all);
  if (i < count) {
    HWY_ALIGN float rest[hn::MaxLanes(hn::ScalableTag<float>())];
    for (size_t j = 0; j < lanes; ++j) rest[j] = values[i + j < count ? i + j : count - 1];
    scan.step(hn::Load(df, rest), hn::FirstN(di, count - i));
  }
  return scan.result();
}

#if HWY_TARGET == HWY_SCALAR
uint64_t TakePacked(hn::ScalableTag<uint64_t> /*d*/, uint16_t* tables) {
  uint64_t packed = 0;
  std::memcpy(&packed, tables, sizeof packed);
  std::memset(tables, 0, sizeof packed);
  return packed;
}
#else
HWY_INLINE hn::Vec<hn::ScalableTag<uint64_t>> TakePacked(hn::ScalableTag<uint64_t> d, uint16_t* tables) {
  const hn::Repartition<uint16_t, decltype(d)> d16;
  const auto packed = hn::BitCast(d, hn::LoadU(d16, tables));
  hn::StoreU(hn::Zero(d16), d16, tables);
  return packed;
}
#endif

void FlushTables(uint16_t* tables, uint64_t* counters, size_t bins) {
  const hn::ScalableTag<uint64_t> d;
  const auto low16 = hn::Set(d, 0x0000ffff0000ffffull);
  const auto low32 = hn::Set(d, 0x00000000ffffffffull);
  for (size_t i = 0; i < bins; i += hn::Lanes(d)) {
    const hn::Vec<decltype(d)> packed{TakePacked(d, tables + 4 * i)};
    const auto pairs = hn::Add(hn::And(packed, low16), hn::And(hn::ShiftRight<16>(packed), low16));
    const auto sum = hn::Add(hn::And(pairs, low32), hn::ShiftRight<32>(pairs));
    hn::StoreU(hn::Add(hn::LoadU(d, counters + i), sum), d, counters + i);
  }
}

}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(ScanBlock);
HWY_EXPORT(FlushTables);

BlockScan scan_block(const float* values, size_t count, float inverse_width, uint32_t* indices) {
  return HWY_DYNAMIC_DISPATCH(ScanBlock)(values, count, inverse_width, indices);
}

void flush_tables(uint16_t* tables, uint64_t* counters, size_t bins) {
  HWY_DYNAMIC_DISPATCH(FlushTables)(tables, counters, bins);
}

}  // namespace detent
#endif
