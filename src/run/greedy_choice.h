#pragma once

#include <cstdint>
#include <optional>

#include "datasets/state/state.h"
#include "detent/base/tensor.h"

namespace detent {

/// The choice of one step of a text.
struct GreedyChoice {
  std::optional<int64_t> token = {};  ///< nullopt: none, the states stay
  int64_t frames = 0;                 ///< to go on; transducers alone
  bool ends = false;                  ///< the text ends in front of this step
};

/// Returns the choice of the highest scores in the last position of [.., classes]; of equal ones the first.
///
/// Attention  the token, or the end of the text.
/// Transducer a token; at a blank no token and the next frame. Source  A. Graves, "Sequence Transduction with Recurrent
///            Neural Networks", 2012, with one path.
/// TDT        the same, and as many frames as the highest of the last `durations` scores says, at a blank at least one.
///            Source  H. Xu et al., "Efficient Sequence Transduction by Jointly Predicting Tokens and Durations", 2023.
/// The last two go to the next frame where one has DecodeRules::most_per_frame tokens, as sherpa-onnx and NeMo do.
///
/// rules     nullptr: the token alone
/// of_frame  tokens that the frame has so far
/// Errors    InvalidOption for fewer scores than the blank and the durations need.
[[nodiscard]] GreedyChoice choose_greedily(const Tensor& scores, const DecodeRules* rules, size_t of_frame = 0);

}  // namespace detent
