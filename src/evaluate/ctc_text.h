#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// The tokens of a recognizer that is trained with connectionist temporal classification, and the texts in its outputs.
class CtcVocabulary {
 public:
  /// tokens  by class. The first of <blank>, <blk>, <ctc>, <pad>, [PAD] and <eps> is the blank; without one of them it
  ///         is one more class at the end. "|", "<space>" and "▁" at the front of a token are blanks between words;
  ///         other tokens in <> stand for no text.
  /// file    for messages
  CtcVocabulary(std::vector<std::string> tokens, std::string file);

  /// Reads the tokens of each sample from the first output that holds one score per class at each position, [N, T, V]
  /// or [N, V, T] (without N where there is one sample), samples in front: the class with the highest score at each
  /// position, equal ones in a row counted once, blanks left out. An output of one integer a sample whose name contains
  /// "len" says how many positions count.
  /// Source  A. Graves et al., "Connectionist Temporal Classification", 2006: best path decoding.
  /// Errors  InvalidOption when no output has the form, listing them.
  [[nodiscard]] std::vector<std::vector<int64_t>> read_tokens(int64_t samples, std::span<const std::string> names,
                                                              std::span<const Tensor> outputs) const;
  /// Returns the text of tokens that it knows.
  [[nodiscard]] std::string text_of(std::span<const int64_t> tokens) const;
  /// Reads the text of each sample.
  /// Errors  those of read_tokens.
  [[nodiscard]] std::vector<std::string> read(int64_t samples, std::span<const std::string> names,
                                              std::span<const Tensor> outputs) const;

 private:
  std::vector<std::string> texts_;  // by class
  std::optional<int64_t> blank_;
  std::string file_;
};

}  // namespace detent
