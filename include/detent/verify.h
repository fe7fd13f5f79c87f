#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/options/run_settings.h"

namespace detent {

/// Options of `detent verify`.
struct VerifyOptions {
  std::vector<std::filesystem::path> folders;
  double rtol = 1e-3;
  double atol = 1e-5;  ///< as a part of the largest expected magnitude, at least 1e-7
  RunSettings run;
};

/// Result of verify_models().
struct VerifyReport {
  struct Line {
    std::string folder, model;
    enum class Outcome { Passed, Failed, Unsupported } outcome = Outcome::Passed;
    std::string detail;
    std::vector<std::string> operators;  ///< that cannot run, or that make the first wrong output
    double worst_relative_error = 0;     ///< largest |a-b| / largest |expected|, over all data sets and outputs
    /// mAP of a failed detector, with its stored detections above .5 as the truth.
    std::optional<double> detection_agreement;
  };
  std::vector<Line> lines;
  size_t passed = 0, failed = 0, unsupported = 0;
};

/// Runs folders in ONNX backend-test layout and compares with their stored outputs. Lines come in the order of the
/// folders. A model that cannot be read, cannot run or differs is a line, not an error.
/// Errors  InvalidData for a path that is not a folder or holds no .onnx; Interrupted.
[[nodiscard]] DETENT_API VerifyReport verify_models(const VerifyOptions& options);

}  // namespace detent
