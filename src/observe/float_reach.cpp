#include "observe/float_reach.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/index.h"
#include "exec/runnable_part.h"

namespace detent {

namespace {

constexpr uint32_t kMagnitude = 0x7fffffff;  // all bits except the sign: as integers they are in the order of |x|
constexpr uint32_t kNotFinite = 255;         // of the exponent's 8 bits; 0 are zero and subnormal numbers

/// Returns the index among ValueReach::counts of a number other than 0.
size_t exponent_index(uint32_t magnitude) {
  const uint32_t field = magnitude >> 23;
  if (field == 0) return as_index(std::bit_width(magnitude) - 1);
  return as_index(static_cast<int>(field) - 126 - ValueReach::kLowest);
}

}  // namespace

void ValueReach::add(std::span<const float> sample, std::span<const uint8_t> counted) {
  uint32_t reached = 0, above = 0;
  double sum = 0;
  uint64_t seen = 0;
  for (size_t i = 0; i < sample.size(); ++i) {
    if (!counted.empty() && counted[i] == 0) continue;
    ++seen;
    const auto bits = std::bit_cast<uint32_t>(sample[i]);
    const uint32_t magnitude = bits & kMagnitude;
    if (magnitude >> 23 == kNotFinite) {
      ++non_finite;
    } else if (magnitude == 0) {
      ++zeros;
    } else {
      ++counts[exponent_index(magnitude)];
      reached = std::max(reached, magnitude);
      if (bits == magnitude) above = std::max(above, magnitude);
      sum += static_cast<double>(std::bit_cast<float>(magnitude));
    }
  }
  amax = std::max(amax, static_cast<double>(std::bit_cast<float>(reached)));
  largest = std::max(largest, static_cast<double>(std::bit_cast<float>(above)));
  elements = std::max(elements, seen);
  if (seen > 0) mean_abs = std::max(mean_abs, sum / static_cast<double>(seen));
}

void ValueReach::include(const ValueReach& other) {
  std::ranges::transform(counts, other.counts, counts.begin(), std::plus());
  zeros += other.zeros;
  non_finite += other.non_finite;
  amax = std::max(amax, other.amax);
  largest = std::max(largest, other.largest);
  mean_abs = std::max(mean_abs, other.mean_abs);
  elements = std::max(elements, other.elements);
}

std::vector<ValueId> values_with_reach(const Graph& graph) {
  const RunnablePart runnable(graph);
  std::vector<ValueId> values;
  for (const Value& value : graph.values())
    if (!value.is_constant && (value.is_input || value.producer) && runnable.can_run(value.id))
      values.push_back(value.id);
  return values;
}

void FloatReachObserver::observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted,
                                 const SampleAxis& where) {
  if (tensor.empty_handle() || tensor.is_sequence() || tensor.type() != DataType::Float32) return;
  ValueReach& reach = reaches_[value];
  const Tensor plain = to_plain(tensor);  // one order of elements, whatever the layout: sums depend on it
  const std::span<const float> numbers = plain.data<float>();
  const auto cut = where.cut(plain.shape(), samples_);
  if (!cut) return reach.add(numbers, counted);
  for (size_t i = 0; i < cut->samples; ++i)
    reach.add(cut->part(numbers, i, of_sample_), cut->part(counted, i, counted_of_sample_));
}

void FloatReachObserver::merge(const FloatReachObserver& other) {
  for (const auto& [value, reach] : other.reaches_) reaches_[value].include(reach);
}

}  // namespace detent
