#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "detent/base/histogram.h"

namespace detent {

/// A fast way to add to a Histogram: same result as Histogram::add for every input, with the widest vectors of the CPU.
///
/// Elements are read once: minimum, maximum and bins come from the same load. Bins are counted in 16-bit tables, which
/// are added to the histogram's 64-bit counters at the end of a tensor and before a count could overflow. The tables
/// (105 KiB) belong to the accumulator and serve any number of histograms; one accumulator per thread.
class HistogramAccumulator {
 public:
  HistogramAccumulator();

  /// Adds values; the state does not depend on order or batching. Empty span -> no change. Returns the extremes of the
  /// finite elements.
  Extremes add(Histogram& histogram, std::span<const float> values);

  /// Adds values that are a part of `all` elements for one histogram: the table is emptied once for all parts. Until
  /// flush() the histogram lacks some of their counts, and nothing else may be added to any.
  Extremes add_part(Histogram& histogram, std::span<const float> values, size_t all);
  void flush(Histogram& histogram);

 private:
  /// Adds up to kMaxElementsInTable elements; returns those that remain when one does not fit the bins or is not
  /// finite.
  std::span<const float> add_fitting(Histogram& histogram, std::span<const float> values);

  /// Does the same for few elements: increments the histogram's counters directly.
  std::span<const float> add_few(Histogram& histogram, std::span<const float> values);

  bool compresses_words_;
  Extremes extremes_;                   // of the elements that add_part() has entered so far
  size_t in_table_ = 0;                 // elements, and kCountsPerBin for each part
  float most_ = 0, least_ = 0;          // their extremes, or 0
  std::vector<uint16_t> table_;         // see count_elements.h; zero after flush(), except the bins that are never read
  std::vector<uint16_t> list_;          // bins of few elements
  std::array<uint64_t, 64> nowhere_{};  // takes elements that fall into no bin
};

}  // namespace detent
