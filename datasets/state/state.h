#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace detent {

/// First value of an input that an output feeds from step to step.
enum class StateStart : uint8_t {
  Zeros,  ///< all extents declared, except that of the batch
  Empty,  ///< length 0 in the open axis, as a cache before the first token
  Data,   ///< an array of the data: each sample brings its own
  Tokens  ///< the same whole numbers in each sample (StateFile::first_tokens)
};

/// The ways in which a model writes a text.
enum class DecodeKind : uint8_t {
  Attention,   ///< a token a step, up to the token that ends the text
  Ctc,         ///< a token or a blank a position, all at once; equal ones in a row are one
  Transducer,  ///< tokens of a frame up to a blank, then the next frame
  Tdt          ///< a transducer that also says how many frames to go on
};

/// "decode" of a pipeline: how a text is read greedily from the scores that it writes.
struct DecodeRules {
  DecodeKind kind = DecodeKind::Attention;
  int64_t end = 0;                                        ///< attention: token that ends a text
  std::vector<std::pair<int64_t, int64_t>> suppressed{};  ///< first and last of tokens that are never chosen
  std::optional<size_t> most = {};                        ///< tokens of a text
  std::optional<double> most_per_second = {};             ///< tokens a second of audio; counts where samples are audio
  std::optional<int64_t> blank = {};                      ///< transducers: class of no token; CTC finds it by name
  size_t most_per_frame = 10;                             ///< transducers: tokens of a frame
  std::vector<int64_t> durations = {};                    ///< TDT: frames to go on, by the scores behind the tokens'
  std::string vocabulary = {};                            ///< file of tokens; "" where none is named
  bool plain_words = true;  ///< words are compared without capitals and punctuation; false: as they stand

  /// True for kinds that go from frame to frame.
  [[nodiscard]] bool has_frames() const { return kind == DecodeKind::Transducer || kind == DecodeKind::Tdt; }
};

/// The values that a transducer reads frame by frame: the loop has the number of the frame as a state.
struct FrameRules {
  std::string output;                  ///< of one file: [batch, frames, width], say
  size_t axis = 1;                     ///< that counts frames
  std::optional<std::string> lengths;  ///< output that says how many frames there are; absent: all
};

/// The content of --state FILE.json: what goes from one step to the next, and how samples are cut into steps.
///
///     {"feeds": {"keys": "past_keys", "values": "past_values"},       output: the input that it feeds
///      "cut":   {"ids": 1,                                            input: the axis that counts steps
///                "frames": {"axis": 1, "length": 160, "hop": 80},     160 positions a step, 80 of them new
///                "attention_mask": {"axis": 1, "from": "start"}},     all positions up to the step's last
///      "start": {"past_keys": "empty"}}                               input: "zeros", "empty", "data" or numbers
///
/// An output "argmax(logits)" feeds the token that the last position of logits scores highest, an output
/// "append(argmax(logits))" all tokens so far and that one, or the last of them where the input has a fixed length.
/// "feeds" is required.
struct StateFile {
  struct Cut {
    int64_t axis = 0;
    std::optional<int64_t> length = {};  ///< positions of a step, at least 1; absent: what the input fixes, else 1
    bool from_start = false;
    std::optional<int64_t> hop = {};  ///< positions from one step to the next; absent: the length, so none overlap
  };
  /// The token that a decoder chose, as its next input.
  struct Token {
    std::string output, input;  ///< scores [.., vocabulary]; ids
    bool appended = false;      ///< to the ids so far
  };
  std::vector<std::pair<std::string, std::string>> feeds;  ///< output, input; no input twice, nor in `tokens`
  std::vector<Token> tokens = {};
  std::optional<DecodeRules> decode = {};                         ///< of a pipeline's file alone
  std::map<std::string, Cut> cuts;                                ///< by input
  std::map<std::string, StateStart> starts;                       ///< by input
  std::map<std::string, std::vector<int64_t>> first_tokens = {};  ///< by input, where `starts` says Tokens
};

}  // namespace detent
