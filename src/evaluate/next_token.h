#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Marks a position that is padding or whose next token is not known.
inline constexpr int64_t kNoToken = -1;

/// Returns the input of token ids: the integers [batch, S] (or [S]) whose name contains none of mask, position, type,
/// segment and past.
/// Errors  InvalidOption when there is none, or more than one.
[[nodiscard]] size_t find_token_ids(std::span<const InputSpec> inputs);

/// Returns the token behind each of the S positions of input `ids`: the ids shifted by one, then Sample::next. kNoToken
/// where there is none, or where the position or the token behind it is padding.
[[nodiscard]] std::vector<int64_t> next_tokens(const Sample& sample, size_t ids);

/// Sums of next-token scores.
struct TokenScore {
  double nats = 0;      ///< sum over the tokens of -ln softmax(logits)[token]
  uint64_t tokens = 0;  ///< that were scored
  uint64_t first = 0;   ///< scored tokens with the largest logit (of equals the first)

  TokenScore& operator+=(const TokenScore& other);
};

/// Scores the output that holds logits of all samples at S positions: the first called "logits", else the first that
/// fits. [N, S, V], else [N, V, S]; without N where there is one sample. Sums are in double precision.
///
/// next     [sample][position]; may hold no token.
/// Errors   InvalidOption when no output fits, listing them; InvalidData for a token beyond the classes of the output.
[[nodiscard]] TokenScore score_next_tokens(std::span<const std::vector<int64_t>> next,
                                           std::span<const std::string> names, std::span<const Tensor> outputs);

}  // namespace detent
