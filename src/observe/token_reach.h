#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample_axis.h"
#include "exec/executor.h"
#include "model/graph/graph.h"

namespace detent {

/// Magnitudes of single tokens and single channels of a value [sequences, tokens, channels]: |x|, finite elements only.
/// Maxima and counts: merges to the same bits in any order. Nothing seen: all zero.
struct TokenReach {
  /// Buckets of a token's largest |x|: the upper 11 bits of its float, that is the exponent and a quarter of the
  /// binade.
  static constexpr int kBucketShift = 21;
  static constexpr uint32_t kBuckets = (0x7f7fffffU >> kBucketShift) + 1;

  uint64_t sequences = 0;
  float first = 0;                      ///< largest |x| of the first tokens of the sequences, exactly
  float others = 0;                     ///< of all other tokens, exactly
  std::map<uint32_t, uint64_t> counts;  ///< of the other tokens, by bucket
  std::vector<float> channels;          ///< largest |x| of each channel, exactly

  /// Adds tokens x channels elements of one sequence in row-major order.
  /// counted  by element: 0 where it is left out; a token without any is left out, and the next is the first. Empty:
  /// all
  ///          count.
  void add(std::span<const float> sequence, size_t channel_count, std::span<const uint8_t> counted = {});
  /// Adds the numbers of other samples.
  void include(const TokenReach& other);
  /// Returns the largest |x| that `share` of the other tokens do not exceed, to an eighth of it; no other tokens: 0.
  [[nodiscard]] double token_quantile(double share) const;
  friend bool operator==(const TokenReach&, const TokenReach&) = default;
};

/// Reaches by name, as tables have them; all zero for values without a token axis.
using TableTokens = std::map<std::string, TokenReach>;

/// Returns the values that a product with a constant matrix or a LayerNormalization reads: if they have three axes, the
/// last one counts channels and the one before tokens.
[[nodiscard]] std::vector<ValueId> values_with_tokens(const Graph& graph, std::span<const ValueId> values);

/// An observer of the tensors of rank 3 of some values. One per worker; merged at the end in any order.
class TokenReachObserver {
 public:
  explicit TokenReachObserver(std::span<const ValueId> values) : watched_(values.begin(), values.end()) {}
  [[nodiscard]] bool watches(ValueId value) const;
  /// Sets the number of samples of later observations.
  void begin_batch(size_t samples) { samples_ = samples; }
  /// Observes a tensor; ignores other values and types.
  /// counted  by element in row-major order, 0 at padding. Empty: all count.
  /// where    how the samples lie in the tensor: [tokens, sequences, channels] where they lie on axis 1.
  void observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted, const SampleAxis& where = {});
  void merge(const TokenReachObserver& other);
  [[nodiscard]] const std::map<ValueId, TokenReach>& reaches() const { return reaches_; }

 private:
  std::vector<ValueId> watched_;  // sorted
  std::map<ValueId, TokenReach> reaches_;
  size_t samples_ = 1;
  std::vector<float> sequence_;
  std::vector<uint8_t> counted_of_sequence_;
};

}  // namespace detent
