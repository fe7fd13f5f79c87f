#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "datasets/state/state.h"

namespace detent {

/// "decode" of a pipeline's file.
struct DecodeEntry {
  DecodeRules rules = {};
  std::optional<FrameRules> frames = {};  ///< of a transducer
};

/// True for kinds that go on from token to token, in the steps of "loop".
[[nodiscard]] bool is_loop(DecodeKind kind);

/// Reads how a text is written:
///
///     {"kind": "attention", "end": 2,                      the token that ends a text
///      "suppress": [0, [5, 9]]}                            tokens that are never chosen
///     {"kind": "ctc"}                                      the vocabulary names the blank (evaluate/ctc_text.h)
///     {"kind": "transducer", "blank": 0,                   the class of no token
///      "frames": "enc:memory",                             the output that the loop reads frame by frame,
///      "axis": 1, "lengths": "enc:lengths",                its axis, and the output that counts its frames
///      "most-per-frame": 10}                               tokens of one frame
///     {"kind": "tdt", ..., "durations": [0, 1, 2, 3, 4]}   a transducer; frames to go on, by score
///
/// All take "vocab": "tokens.txt", kinds that loop also "most": 40, the longest text in tokens, "most-per-second": 6,
/// the same for a second of audio, and "words": "plain" or "exact".
/// path_of  finds a path that the file names
/// Errors   InvalidOption, without a path, for another kind, keys of another kind and values that make no sense.
[[nodiscard]] DecodeEntry decode_of(const nlohmann::json& decode,
                                    const std::function<std::string(const std::string&)>& path_of);

}  // namespace detent
