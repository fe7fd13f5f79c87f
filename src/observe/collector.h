#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "detent/histogram.h"
#include "exec/executor.h"
#include "observe/histogram_accumulator.h"

namespace detent {

/// An observer that owns one histogram per watched value. One collector per worker; merged at the end in any order.
/// Memory  up to 64 KiB per watched value (32 KiB a side in use) and 82 KiB of scratch per collector.
class Collector : public Observer {
 public:
  /// Histograms for `watched`; other values are ignored.
  Collector(const Graph& graph, std::span<const ValueId> watched);

  /// Only float, float16, bfloat16 and double tensors are collected, as float; other types are ignored.
  void observe(ValueId value, const Tensor& tensor) override;
  /// Errors  Internal when `other` watches other values.
  void merge(const Collector& other);

  /// Histogram of a watched value. Errors  Internal when `value` is not watched.
  [[nodiscard]] const Histogram& histogram(ValueId value) const;
  [[nodiscard]] std::span<const ValueId> watched() const { return watched_; }

  /// Where NaN or Inf first turned up per value, for the warning: node and sample.
  void begin_sample(size_t sample_index) { sample_ = sample_index; }
  struct NonFinite {
    ValueId value;
    size_t sample;  ///< smallest sample index that held one
  };
  /// In the order of watched(). Empty when every element was finite.
  [[nodiscard]] std::vector<NonFinite> non_finite() const;

 private:
  std::vector<ValueId> watched_;
  std::vector<int> slot_of_value_;  // -1: not watched
  std::vector<Histogram> histograms_;
  std::vector<size_t> first_non_finite_;
  HistogramAccumulator accumulator_;
  size_t sample_ = 0;
};

}  // namespace detent
