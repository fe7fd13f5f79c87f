#pragma once

#include <filesystem>
#include <string>

#include "detent/data_source.h"

namespace detent {

/// --eval, and what tells good outputs from bad ones on it. Without labels, masks and command outputs are compared with the
/// float model's only.
struct EvaluationOptions {
  DataOptions data;              ///< --eval; preprocessed as --data is
  std::filesystem::path labels;  ///< --labels: csv `file,label`, files relative to SRC; empty: none
  std::filesystem::path masks;   ///< --masks: folder of images of the same names, pixel = class; empty: none
  std::string metric_command;    ///< --metric-command: called with two folders of .npy, prints a number; empty: none
};

}  // namespace detent
