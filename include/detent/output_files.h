#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "detent/cache.h"
#include "detent/calibrate.h"
#include "detent/quantize.h"

namespace detent {

/// A file that a command writes, and the option that it follows from: "--latency-table".
struct OutputFile {
  std::string option;
  std::filesystem::path path;
};

/// Returns the files that a command writes besides those that its output and its reports name, as far as the options
/// tell them: files of single targets, of a pipeline and of DLA, the table of latencies, the partial table.
[[nodiscard]] DETENT_API std::vector<OutputFile> files_beside(const QuantizeOptions& options);
[[nodiscard]] DETENT_API std::vector<OutputFile> files_beside(const CalibrateOptions& options);
[[nodiscard]] DETENT_API std::vector<OutputFile> files_beside(const CacheExportOptions& options);

/// Checks that each output has a name for itself: links are followed, also dangling ones. Names of the data file of a
/// model (OUT.onnx.0123456789abcdef.data) count as taken.
/// Errors  CannotWrite naming both options.
DETENT_API void check_distinct(const std::vector<OutputFile>& outputs);

}  // namespace detent
