#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"

namespace detent {

/// Options of `detent run`.
struct RunOptions {
  std::filesystem::path model, output_folder;
  DataOptions data;
  RunSettings run;
  bool overwrite = false;
  bool profile = false;        ///< also measure the time of each node
  std::string isa = "native";  ///< instruction set of the kernels: "avx2", "avx512" or "native"
  std::filesystem::path draw;  ///< folder of pictures of the first samples with their detections; empty: none
};

/// Times of a run, in milliseconds a sample on one worker.
struct ProfileReport {
  struct Line {
    std::string node, op;  ///< "Conv + Relu" where the Relu is fused into the Conv
    double ms = 0;
  };
  std::vector<Line> nodes;  ///< in execution order
  size_t samples = 0;
  double total_ms = 0;
  /// A calibration pass over the same samples, for the values of the default target.
  struct Collecting {
    std::string target;
    size_t values = 0;
    double total_ms = 0, collector_ms = 0;
  };
  std::optional<Collecting> collecting;  ///< absent for a quantized model
};

struct RunReport {
  std::string model;
  size_t samples = 0, skipped_samples = 0;
  double seconds = 0;
  std::map<std::string, int64_t> expanded;  ///< ONNX Runtime's own operators that were expanded: number of nodes
  std::vector<std::filesystem::path> written;
  std::optional<ProfileReport> profile;
};

/// Runs the model over the data and writes each output as .npy, with samples stacked on axis 0. An output of varying
/// shape becomes a folder with one file per sample. `draw` gets a PNG of each of the first 16 samples, or of all with
/// DataOptions::limit, with the detections that score .25 or more.
/// Errors  InvalidModel, Unsupported, InvalidData, Usage and InvalidOption as quantize_model; CannotWrite; Interrupted.
[[nodiscard]] DETENT_API RunReport run_model(const RunOptions& options);

/// Returns the inputs whose open first axis is part of a sample, though it seems to count samples: the model does not
/// run with the data as they are read, and does with more than one of that axis. For the hint of a failed command.
/// Empty   in every other case: the data or the model cannot be read, or more of the axis does not help.
/// Errors  Interrupted.
[[nodiscard]] DETENT_API std::vector<std::string> inputs_without_samples(const std::filesystem::path& model,
                                                                         const DataOptions& data);

}  // namespace detent
