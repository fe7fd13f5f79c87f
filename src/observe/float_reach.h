#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sample_axis.h"
#include "exec/executor.h"
#include "model/graph/graph.h"

namespace detent {

/// Magnitudes of a Float32 value in the samples, for narrower float types. Counts and maxima: merges to the same bits
/// in any order. Nothing seen: all zero.
struct ValueReach {
  /// The binary exponents of frexp: 2^(e-1) <= |x| < 2^e. Float32 has these, subnormal numbers included.
  static constexpr int kLowest = -148, kHighest = 128;
  using Counts = std::array<uint64_t, kHighest - kLowest + 1>;

  Counts counts{};  ///< finite elements other than 0, by exponent from kLowest on
  uint64_t zeros = 0, non_finite = 0;
  double amax = 0;        ///< largest finite |x|, exactly
  double largest = 0;     ///< largest finite x above 0, exactly
  double mean_abs = 0;    ///< of the sample where it is largest; elements that are not finite count as 0
  uint64_t elements = 0;  ///< of the largest sample

  /// Adds the elements of one sample. Sums run in their order.
  /// counted  by element: 0 where it is left out everywhere. Empty: all count.
  void add(std::span<const float> sample, std::span<const uint8_t> counted = {});
  /// Adds the numbers of other samples.
  void include(const ValueReach& other);
  friend bool operator==(const ValueReach&, const ValueReach&) = default;
};

/// Reaches by value: the tensors of type Float32 that nodes make and the inputs of that type. No constants.
using ValueReaches = std::map<ValueId, ValueReach>;

/// Reaches by name, as tables have them; nullopt for values of other types than Float32.
using TableReaches = std::map<std::string, std::optional<ValueReach>>;

/// Returns every value that a node makes, and the inputs, in order; their types are known when they are observed.
[[nodiscard]] std::vector<ValueId> values_with_reach(const Graph& graph);

/// An observer of the magnitudes of every Float32 tensor. One per worker; merged at the end in any order.
class FloatReachObserver : public Observer {
 public:
  /// Sets the number of samples of later observations.
  void begin_batch(size_t samples) { samples_ = samples; }
  /// Observes a Float32 tensor; ignores other types.
  void observe(ValueId value, const Tensor& tensor) override { observe(value, tensor, {}); }
  /// Observes the elements that count.
  /// counted  by element in row-major order, whatever the layout (Tensor::layout). Empty: all.
  /// where    how the samples lie in the tensor; a tensor in which they cannot be told apart is taken as a whole.
  void observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted, const SampleAxis& where = {});
  void merge(const FloatReachObserver& other);

  [[nodiscard]] const ValueReaches& reaches() const { return reaches_; }

 private:
  ValueReaches reaches_;
  size_t samples_ = 1;
  std::vector<float> of_sample_;
  std::vector<uint8_t> counted_of_sample_;
};

}  // namespace detent
