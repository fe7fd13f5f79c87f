#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// Of a position that nothing is known to follow, or that is padding.
inline constexpr int64_t kNoToken = -1;

/// The input of token ids: the integers [batch, S] (or [S]) that are neither called mask, position, type, segment nor
/// past.
/// Errors  InvalidOption when there is none, or more than one.
[[nodiscard]] size_t find_token_ids(std::span<const InputSpec> inputs);

/// The token behind each of the S positions of input `ids`: the ids shifted by one, behind the last that of
/// Sample::next. kNoToken where there is none, or the position or the token behind it is no content.
[[nodiscard]] std::vector<int64_t> next_tokens(const Sample& sample, size_t ids);

/// How well logits tell next tokens.
struct TokenScore {
  double nats = 0;      ///< sum over the tokens of -ln softmax(logits)[token]
  uint64_t tokens = 0;  ///< that were scored
  uint64_t first = 0;   ///< of them, those with the largest logit (of equals the first)

  TokenScore& operator+=(const TokenScore& other);
};

/// The output that holds logits of all samples at S positions: the first called "logits", else the first that fits.
/// [N, S, V], else [N, V, S]; without N where there is one sample. Logits are added up in double precision.
///
/// next     [sample][position].
/// Empty    no token is known: no tokens.
/// Errors   InvalidOption when no output fits, listing them; InvalidData for a token that is no class of the output.
[[nodiscard]] TokenScore score_next_tokens(std::span<const std::vector<int64_t>> next,
                                           std::span<const std::string> names, std::span<const Tensor> outputs);

}  // namespace detent
