#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample_axis.h"
#include "detent/base/histogram.h"
#include "exec/executor.h"
#include "observe/histogram_accumulator.h"

namespace detent {

/// An observer that owns one histogram per watched value, and the extremes of each in every sample. One collector per
/// worker; merged at the end in any order.
/// Memory  up to 64 KiB per watched value (32 KiB a side in use), 8 bytes per watched value and sample, and 82 KiB of
///         scratch per collector.
class Collector : public Observer {
 public:
  /// watched  the values to collect; others are ignored.
  Collector(const Graph& graph, std::span<const ValueId> watched);

  /// Collects float, float16, bfloat16 and double tensors, as float; ignores other types.
  void observe(ValueId value, const Tensor& tensor) override { observe(value, tensor, {}); }
  /// Collects the elements that count. The extremes of a sample are those of its elements; of all elements where
  /// samples cannot be told apart. counted  by element of a plain tensor: 0 where it does not count. Empty: all, in any
  /// layout. where    how the samples of the batch lie in the tensor.
  void observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted, const SampleAxis& where = {});
  /// Adds what `other` saw. Errors  Internal when it watches other values.
  void merge(const Collector& other);

  /// Returns the histogram of a watched value.
  /// Errors  Internal when `value` is not watched.
  [[nodiscard]] const Histogram& histogram(ValueId value) const;
  [[nodiscard]] std::span<const ValueId> watched() const { return watched_; }

  /// Sets the samples, by index, to which later observations belong. Before the first call no extremes are kept.
  void begin_batch(std::span<const size_t> samples);
  void begin_sample(size_t sample) { begin_batch(std::span(&sample, 1)); }
  /// Returns the samples that were begun, sorted.
  [[nodiscard]] std::vector<size_t> samples() const;
  /// Returns the extremes of the finite elements of a watched value in each of `samples`, empty where there was none.
  /// Errors  Internal when `value` is not watched, or a sample was not begun.
  [[nodiscard]] std::vector<Extremes> extremes(ValueId value, std::span<const size_t> samples) const;

  /// A value with NaN or Inf and the first sample with one, for the warning.
  struct NonFinite {
    ValueId value;
    size_t sample;  ///< smallest sample index that held one
  };
  /// Returns values in the order of watched(). Empty when every element was finite.
  [[nodiscard]] std::vector<NonFinite> non_finite() const;

 private:
  [[nodiscard]] size_t slot_of(ValueId value) const;
  /// Adds the elements to the slot's histogram and the extremes of every sample that they belong to.
  void add(size_t slot, const Tensor& floats, std::span<const uint8_t> counted, const SampleAxis& where);
  /// Adds elements of a sample, of `all` that the slot's histogram gets now, and returns their extremes.
  Extremes count(size_t slot, std::span<const float> elements, size_t all, size_t sample);
  /// Returns the elements that count.
  [[nodiscard]] std::span<const float> chosen(std::span<const float> elements, std::span<const uint8_t> counted);

  std::vector<ValueId> watched_;
  ValueMap<int> slot_of_value_;  // -1: not watched
  std::vector<Histogram> histograms_;
  std::vector<size_t> first_non_finite_;
  HistogramAccumulator accumulator_;
  std::vector<float> chosen_, of_sample_;
  std::vector<uint8_t> counted_of_sample_;
  std::map<size_t, std::vector<Extremes>> extremes_;  // by sample, one a slot
  std::vector<std::vector<Extremes>*> batch_;         // of the samples that are observed now
  std::vector<size_t> samples_{0};                    // their indices
};

}  // namespace detent
