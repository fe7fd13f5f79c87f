#include "observe/token_reach.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/float_type.h"
#include "core/index.h"
#include "ops/simd/magnitudes.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Returns the largest magnitude of a token, and includes it in its channels.
float reach_of_token(const float* token, std::span<float> channels) {
  return reach_of_row(token, channels.data(), channels.size());
}

/// Does the same with the elements that count; nullopt when none does.
std::optional<float> reach_of_counted(const float* token, const uint8_t* counted, std::span<float> channels) {
  std::optional<float> largest;
  for (size_t c = 0; c < channels.size(); ++c) {
    if (counted[c] == 0) continue;
    const float own = std::isfinite(token[c]) ? std::abs(token[c]) : 0.0F;
    largest = std::max(largest.value_or(0.0F), own);
    channels[c] = std::max(channels[c], own);
  }
  return largest;
}

}  // namespace

void TokenReach::add(std::span<const float> sequence, size_t channel_count, std::span<const uint8_t> counted) {
  if (sequence.empty() || channel_count == 0) return;
  if (channels.size() < channel_count) channels.resize(channel_count);
  const std::span<float> reached = std::span(channels).first(channel_count);
  bool is_first = true;
  for (size_t at = 0; at < sequence.size(); at += channel_count) {
    const float* token = sequence.data() + at;
    const std::optional<float> largest =
        counted.empty() ? reach_of_token(token, reached) : reach_of_counted(token, &counted[at], reached);
    if (!largest) continue;
    float& kept = is_first ? first : others;
    kept = std::max(kept, *largest);
    if (is_first)
      ++sequences;
    else
      ++counts[std::bit_cast<uint32_t>(*largest) >> kBucketShift];
    is_first = false;
  }
}

void TokenReach::include(const TokenReach& other) {
  sequences += other.sequences;
  first = std::max(first, other.first);
  others = std::max(others, other.others);
  for (const auto& [bucket, count] : other.counts) counts[bucket] += count;
  channels.resize(std::max(channels.size(), other.channels.size()));
  for (size_t c = 0; c < other.channels.size(); ++c) channels[c] = std::max(channels[c], other.channels[c]);
}

double TokenReach::token_quantile(double share) const {
  uint64_t all = 0, seen = 0;
  for (const auto& [bucket, count] : counts) all += count;
  for (const auto& [bucket, count] : counts) {
    seen += count;
    if (static_cast<double>(seen) < share * static_cast<double>(all)) continue;
    if (bucket == 0) return 0;
    const float middle = std::bit_cast<float>(bucket << kBucketShift | 1U << (kBucketShift - 1));
    return static_cast<double>(std::min(middle, others));
  }
  return 0;
}

std::vector<ValueId> values_with_tokens(const Graph& graph, std::span<const ValueId> values) {
  std::vector<ValueId> found;
  for (const ValueId value : values) {
    const bool by_token = std::ranges::any_of(graph.value(value).uses, [&](const Use& use) {
      if (use.slot != 0) return false;
      const Node& reader = graph.node(use.node);
      const OpKind kind = traits_of(graph, reader).kind;
      if (kind == OpKind::LayerNorm) return true;
      const Tensor* weight = kind == OpKind::MatMul ? graph.constant(reader.input(1)) : nullptr;
      return weight && weight->shape().rank() == 2;
    });
    if (by_token) found.push_back(value);
  }
  return found;
}

bool TokenReachObserver::watches(ValueId value) const { return std::ranges::binary_search(watched_, value); }

void TokenReachObserver::observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted,
                                 const SampleAxis& where) {
  if (!watches(value) || tensor.empty_handle() || tensor.is_sequence() || !is_floating_point(tensor.type())) return;
  if (tensor.shape().rank() != 3 || tensor.element_count() == 0) return;
  const Tensor plain = to_plain(cast(tensor, DataType::Float32));
  const std::span<const float> numbers = plain.data<float>();
  const auto front = as_index(plain.shape()[0]), channels = as_index(plain.shape()[2]);
  const auto cut = where.cut(plain.shape(), samples_);
  const bool tokens_in_front = cut && samples_ > 1 && where.axis == 1 && cut->inner == channels && cut->outer == front;
  const SampleCut sequences = tokens_in_front ? *cut : SampleCut{1, front, numbers.size() / front};
  TokenReach& reach = reaches_[value];
  for (size_t n = 0; n < sequences.samples; ++n)
    reach.add(sequences.part(numbers, n, sequence_), channels, sequences.part(counted, n, counted_of_sequence_));
}

void TokenReachObserver::merge(const TokenReachObserver& other) {
  for (const auto& [value, reach] : other.reaches_) reaches_[value].include(reach);
}

}  // namespace detent
