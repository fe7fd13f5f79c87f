#include "observe/count_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "observe/count_elements.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detent::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::ScalableTag<int32_t>;
constexpr size_t kMaxLanes = hn::MaxLanes(Floats());

constexpr int32_t kMagnitudeMask = 0x7fffffff;
constexpr int32_t kSmallestBits = 0x2b800000;  // 2^-40; bit patterns of magnitudes order as the magnitudes do
constexpr int kSignToNegativeSide = 31 - 12;   // moves the sign bit to the value 4096
constexpr int32_t kNoBin = 2 * 4096;
// Small enough for the CPU to scan one chunk while it still counts the last one.
constexpr size_t kChunk = 256;
static_assert((kMaxElementsInTable / kChunk + 1) * (kChunk / kCountsPerBin + 1) <=
              std::numeric_limits<uint16_t>::max());
static_assert(kChunk % kMaxLanes == 0 && kNoBin + kMaxLanes <= kBinsInTable);
// AVX-512 has an instruction for it; elsewhere Highway 1.0.3 copies a table to the stack for every vector under GCC 12.
constexpr bool kLeaveOutZeros = HWY_TARGET <= HWY_AVX3;

/// Statistics of the elements seen so far, a lane each.
struct Seen {
  hn::Vec<Floats> min, max;
  hn::Vec<Ints> largest;  ///< bit pattern of a magnitude, of the last chunk alone
  size_t non_zero = 0;

  Seen()
      : min(hn::Set(Floats(), std::numeric_limits<float>::infinity())),
        max(hn::Set(Floats(), -std::numeric_limits<float>::infinity())), largest(hn::Zero(Ints())) {}
};

/// Writes the bins of the `chunk` elements at `values` and returns where they end. chunk is a multiple of the lanes.
HWY_INLINE uint32_t* ScanChunk(const float* values, size_t chunk, hn::Vec<Floats> inverse_width, Seen& seen,
                               uint32_t* bins) {
  const Floats df;
  const Ints di;
  const hn::RebindToUnsigned<Ints> du;
  hn::Vec<Floats> min = seen.min, max = seen.max;
  hn::Vec<Ints> top = hn::Zero(di);
  size_t found = 0;
  for (size_t i = 0; i < chunk; i += hn::Lanes(df)) {
    const auto x = hn::LoadU(df, values + i);
    const auto bits = hn::BitCast(di, x);
    const auto magnitude = hn::And(bits, hn::Set(di, kMagnitudeMask));
    const auto counts = hn::Gt(magnitude, hn::Set(di, kSmallestBits - 1));
    const auto value = hn::IfThenElseZero(hn::RebindMask(df, counts), x);
    top = hn::Max(top, magnitude);
    min = hn::Min(min, value);
    max = hn::Max(max, value);
    // A product by a power of two is exact, or so small that bin 0 is right anyway.
    const auto distance = hn::ConvertTo(di, hn::Mul(hn::BitCast(df, magnitude), inverse_width));
    const auto side = hn::And(hn::ShiftRight<kSignToNegativeSide>(bits), hn::Set(di, 4096));
    const auto bin = hn::Add(distance, side);
    const size_t here = hn::CountTrue(di, counts);
    found += here;
    if constexpr (kLeaveOutZeros) {
      hn::StoreU(hn::BitCast(du, hn::Compress(bin, counts)), du, bins);
      bins += here;
    } else {  // a bin of its own for each lane: zeros come in runs
      hn::StoreU(hn::BitCast(du, hn::IfThenElse(counts, bin, hn::Iota(di, kNoBin))), du, bins);
      bins += hn::Lanes(di);
    }
  }
  seen.min = min;
  seen.max = max;
  seen.largest = top;
  seen.non_zero += found;
  return bins;
}

HWY_INLINE void CountBins(const uint32_t* bins, const uint32_t* end, uint16_t* table) {
  for (; bins + kCountsPerBin <= end; bins += kCountsPerBin)
    for (size_t i = 0; i < kCountsPerBin; ++i) ++table[kCountsPerBin * bins[i] + i];
  for (size_t i = 0; bins < end; ++bins, ++i) ++table[kCountsPerBin * *bins + i];
}

Counted CountElements(const float* values, size_t count, float inverse_width, int32_t limit_bits, uint16_t* table) {
  const Floats df;
  const Ints di;
  HWY_ALIGN uint32_t bins[kChunk + kMaxLanes];
  Counted counted;
  Seen seen;
  const auto width = hn::Set(df, inverse_width);
  const auto limit = hn::Set(di, limit_bits);
  while (count - counted.elements >= hn::Lanes(df)) {
    const size_t rest = count - counted.elements;
    const size_t chunk = std::min(rest - rest % hn::Lanes(df), kChunk);
    Seen with_chunk = seen;
    const uint32_t* const end = ScanChunk(values + counted.elements, chunk, width, with_chunk, bins);
    if (!hn::AllTrue(di, hn::Lt(with_chunk.largest, limit))) break;
    CountBins(bins, end, table);
    seen = with_chunk;
    counted.elements += chunk;
  }
  counted.non_zero = seen.non_zero;
  counted.min = hn::GetLane(hn::MinOfLanes(df, seen.min));
  counted.max = hn::GetLane(hn::MaxOfLanes(df, seen.max));
  return counted;
}

Counted ListBins(const float* values, size_t count, float inverse_width, int32_t limit_bits, uint32_t* bins,
                 size_t* end) {
  const Floats df;
  const Ints di;
  Counted counted;
  const size_t whole = count - count % hn::Lanes(df);
  Seen seen;
  const uint32_t* const last = ScanChunk(values, whole, hn::Set(df, inverse_width), seen, bins);
  if (whole == 0 || !hn::AllTrue(di, hn::Lt(seen.largest, hn::Set(di, limit_bits)))) return {};
  *end = static_cast<size_t>(last - bins);
  counted.elements = whole;
  counted.non_zero = seen.non_zero;
  counted.min = hn::GetLane(hn::MinOfLanes(df, seen.min));
  counted.max = hn::GetLane(hn::MaxOfLanes(df, seen.max));
  return counted;
}

#if HWY_TARGET == HWY_SCALAR  // has no vectors of several 16-bit lanes
HWY_INLINE hn::Vec<hn::ScalableTag<uint64_t>> TakeBins(hn::ScalableTag<uint64_t> /*d*/, uint16_t* table) {
  uint64_t packed = 0;
  std::memcpy(&packed, table, sizeof packed);
  std::memset(table, 0, sizeof packed);
  return hn::Vec<hn::ScalableTag<uint64_t>>(packed);
}
#else
HWY_INLINE hn::Vec<hn::ScalableTag<uint64_t>> TakeBins(hn::ScalableTag<uint64_t> d, uint16_t* table) {
  const hn::Repartition<uint16_t, decltype(d)> d16;
  const auto packed = hn::BitCast(d, hn::LoadU(d16, table));
  hn::StoreU(hn::Zero(d16), d16, table);
  return packed;
}
#endif

void FlushTable(uint16_t* table, uint64_t* counters, size_t bins) {
  const hn::ScalableTag<uint64_t> d;
  const auto low16 = hn::Set(d, 0x0000ffff0000ffffull);
  const auto low32 = hn::Set(d, 0x00000000ffffffffull);
  for (size_t i = 0; i < bins; i += hn::Lanes(d)) {
    const auto packed = TakeBins(d, table + kCountsPerBin * i);
    const auto pairs = hn::Add(hn::And(packed, low16), hn::And(hn::ShiftRight<16>(packed), low16));
    const auto sum = hn::Add(hn::And(pairs, low32), hn::ShiftRight<32>(pairs));
    hn::StoreU(hn::Add(hn::LoadU(d, counters + i), sum), d, counters + i);
  }
}

}  // namespace detent::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace detent {

HWY_EXPORT(CountElements);
HWY_EXPORT(ListBins);
HWY_EXPORT(FlushTable);

namespace {

/// Bit pattern of 4096 bins of width 2^log2_width; with the largest width the limit is Inf itself.
int32_t limit_bits(int log2_width) { return (127 + 12 + log2_width) << 23; }

}  // namespace

Counted count_elements(std::span<const float> values, int log2_width, uint16_t* table) {
  return HWY_DYNAMIC_DISPATCH(CountElements)(values.data(), values.size(), std::ldexp(1.0f, -log2_width),
                                             limit_bits(log2_width), table);
}

Counted list_bins(std::span<const float> values, int log2_width, uint32_t* bins, size_t& end) {
  return HWY_DYNAMIC_DISPATCH(ListBins)(values.data(), values.size(), std::ldexp(1.0f, -log2_width),
                                        limit_bits(log2_width), bins, &end);
}

void flush_table(uint16_t* table, uint64_t* counters, size_t bins) {
  HWY_DYNAMIC_DISPATCH(FlushTable)(table, counters, bins);
}

}  // namespace detent
#endif
