#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detent/histogram.h"

namespace detent {

/// The fast way into a Histogram: same result as Histogram::add for every input, with the widest vectors the CPU has.
///
/// Elements are read once: minimum, maximum and bin indices come from the same load. Bins are counted in interleaved
/// 16-bit tables (equal neighbours then do not wait for each other's store), added to the histogram's 64-bit counters at
/// the end of a tensor and before a count could overflow. The tables (64 KiB) belong to the accumulator and serve any
/// number of histograms; one accumulator per thread.
class HistogramAccumulator {
 public:
  HistogramAccumulator();

  /// Any order, any batching: same state. Empty span -> no change.
  void add(Histogram& histogram, std::span<const float> values);

 private:
  void add_block(Histogram& histogram, std::span<const float> block, bool through_tables);
  void count_in_tables(size_t indices);
  void count_directly(Histogram& histogram, size_t indices) const;
  void flush(Histogram& histogram);

  std::vector<uint16_t> tables_;   // [side][bin][table], zero between calls; then the bins of kNowhere, never read
  std::vector<uint32_t> indices_;  // of one block; negative bins follow the positive ones
  size_t blocks_in_tables_ = 0;
};

}  // namespace detent
