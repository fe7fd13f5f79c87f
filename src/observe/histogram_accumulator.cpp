#include "observe/histogram_accumulator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "observe/scan_block.h"

namespace detent {
namespace {

constexpr size_t kBlock = 2048;  // elements; their indices (8 KiB) stay in the first-level cache
constexpr size_t kTables = 4;    // interleaved: a bin's four 16-bit counts are one 64-bit word
constexpr size_t kBins = Histogram::kBins;
static_assert(kNowhere == 2 * kBins);
// A block adds at most kBlock / kTables to one 16-bit count, rounded up.
constexpr size_t kBlocksBeforeFlush = std::numeric_limits<uint16_t>::max() / (kBlock / kTables + 1);
// Flushing costs about as much as counting this many elements, so smaller tensors count straight into the histogram.
constexpr size_t kFewElements = 2048;
constexpr uint32_t kInfinityBits = 0x7f800000u;
constexpr size_t kFlushStep = 64;  // bins; a multiple of every vector's lanes and a divisor of kBins

/// Bins a side that can hold anything when its largest |x| is `magnitude`, rounded up to whole flush steps.
size_t bins_in_use(float magnitude, float inverse_width) {
  const auto last = static_cast<size_t>(magnitude * inverse_width);
  return std::min((last / kFlushStep + 1) * kFlushStep, kBins);
}

}  // namespace

HistogramAccumulator::HistogramAccumulator() : tables_((kNowhere + kScanSlack) * kTables), indices_(kBlock + kScanSlack) {}

void HistogramAccumulator::add(Histogram& histogram, std::span<const float> values) {
  const bool through_tables = values.size() > kFewElements;
  for (size_t i = 0; i < values.size(); i += kBlock)
    add_block(histogram, values.subspan(i, std::min(kBlock, values.size() - i)), through_tables);
  flush(histogram);
}

void HistogramAccumulator::add_block(Histogram& histogram, std::span<const float> block, bool through_tables) {
  const auto scan = [&] {
    return scan_block(block.data(), block.size(), std::ldexp(1.0f, -histogram.log2_width_), indices_.data());
  };
  BlockScan found = scan();
  if (found.largest_bits >= kInfinityBits) {  // NaN or Inf: rare, so the plain way is good enough
    flush(histogram);
    histogram.add(block);
    return;
  }
  const float largest = std::max(found.max, -found.min);
  if (largest >= std::ldexp(static_cast<float>(kBins), histogram.log2_width_)) {
    flush(histogram);  // the tables count bins of the old width
    histogram.admit({block.size(), found.min, found.max});
    found = scan();
  } else {
    histogram.admit({block.size(), found.min, found.max});
  }
  histogram.zeros_ += block.size() - found.non_zero;
  if (found.max > 0) histogram.positive_.resize(kBins);
  if (found.min < 0) histogram.negative_.resize(kBins);
  if (!through_tables) return count_directly(histogram, found.indices);
  count_in_tables(found.indices);
  if (++blocks_in_tables_ == kBlocksBeforeFlush) flush(histogram);
}

void HistogramAccumulator::count_in_tables(size_t indices) {
  uint16_t* const tables = tables_.data();
  const uint32_t* const index = indices_.data();
  size_t i = 0;
  for (; i + kTables <= indices; i += kTables)
    for (size_t table = 0; table < kTables; ++table) ++tables[kTables * index[i + table] + table];
  for (size_t table = 0; i < indices; ++i, ++table) ++tables[kTables * index[i] + table];
}

void HistogramAccumulator::count_directly(Histogram& histogram, size_t indices) const {
  std::array<uint64_t, kScanSlack> nowhere{};
  const std::array<uint64_t*, 3> sides = {histogram.positive_.data(), histogram.negative_.data(), nowhere.data()};
  for (size_t i = 0; i < indices; ++i) ++sides[indices_[i] / kBins][indices_[i] % kBins];
}

void HistogramAccumulator::flush(Histogram& histogram) {
  if (blocks_in_tables_ == 0) return;
  blocks_in_tables_ = 0;
  const float inverse_width = std::ldexp(1.0f, -histogram.log2_width_);
  if (!histogram.positive_.empty())
    flush_tables(tables_.data(), histogram.positive_.data(), bins_in_use(histogram.max_, inverse_width));
  if (!histogram.negative_.empty())
    flush_tables(tables_.data() + kBins * kTables, histogram.negative_.data(),
                 bins_in_use(-histogram.min_, inverse_width));
}

}  // namespace detent
