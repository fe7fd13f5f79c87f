#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace detent {

/// The meaning of an output, which decides by what it is judged.
enum class OutputMeaning : uint8_t {
  Unknown,    ///< by SQNR
  Classes,    ///< one class a sample: by SQNR, and by the classes that stay
  ClassMap,   ///< one class at each place of an image or a volume
  Boxes,      ///< boxes, scores or labels of a detector: by its detections
  Tokens,     ///< one class at each step of a sequence
  Embedding,  ///< vectors: by cosine, and by the nearest neighbours among the samples
  Signal      ///< quantities, waveforms, images, independent scores: by SQNR
};
inline constexpr std::array<std::string_view, 7> kOutputMeanings = {"unknown", "classes",   "class-map", "boxes",
                                                                    "tokens",  "embedding", "signal"};
[[nodiscard]] constexpr std::string_view name_of(OutputMeaning meaning) {
  return kOutputMeanings[static_cast<size_t>(meaning)];
}

/// True for outputs whose largest number is a decision.
[[nodiscard]] constexpr bool is_of_classes(OutputMeaning meaning) {
  return meaning == OutputMeaning::Classes || meaning == OutputMeaning::ClassMap || meaning == OutputMeaning::Tokens;
}

/// The meaning that an output was found to have, and why.
struct OutputReport {
  std::string name;
  OutputMeaning kind = OutputMeaning::Unknown;
  std::string reason;  ///< "10 numbers, of a Softmax"
};

}  // namespace detent
