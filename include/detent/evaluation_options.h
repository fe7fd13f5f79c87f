#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "detent/data_source.h"

namespace detent {

/// The samples a model is judged on, and what tells good outputs from bad ones. Without any of these the outputs are compared
/// with the float model's only.
struct EvaluationOptions {
  DataOptions data;              ///< preprocessed as the calibration data is
  std::filesystem::path labels;  ///< csv `file,label`, files relative to the data's folder; empty: none
  std::filesystem::path masks;   ///< folder of images of the same names, pixel = class; empty: none
  std::string metric_command;    ///< called with two folders of .npy, prints a number; empty: none
  bool next_token = false;       ///< logits are held against the token ids shifted by one
};

/// True of "nats" and "perplexity", which fall as a model improves; every other metric rises.
[[nodiscard]] constexpr bool falls_when_better(std::string_view metric) {
  return metric == "nats" || metric == "perplexity";
}

}  // namespace detent
