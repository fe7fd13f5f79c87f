#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

struct CacheExportOptions {
  std::filesystem::path table, output;
  std::string calibrator = "mse";
  std::string target = "tensorrt";  ///< whose version the cache names
  bool overwrite = false;
};

struct CacheExportReport {
  std::string table, output, calibrator;
  std::string target;  ///< "tensorrt:10.13"
  size_t scales = 0;   ///< that were written
};

/// Writes a TensorRT calibration cache: a scale per value.
/// Errors  InvalidData when the table cannot be read; Usage for a calibrator or target that is not known; InvalidOption
/// for
///         a target without such caches; TableMismatch for a table of an equalized network; CannotWrite.
DETENT_API CacheExportReport export_cache(const CacheExportOptions& options);

struct CacheImportOptions {
  std::filesystem::path cache, model, output;
  bool overwrite = false;
};

struct CacheImportReport {
  std::string cache, output;
  std::string version_line;  ///< "TRT-8601-EntropyCalibration2"
  size_t imported = 0;
  std::vector<std::string> unknown;        ///< names in the cache that the model has no value for
  std::vector<std::string> without_scale;  ///< in the cache with scale 0
  std::string target;
  std::vector<std::string> missing;  ///< values that the target's default placement quantizes and the cache lacks
};

/// Makes a table of a TensorRT calibration cache. Its scales are used as they are, whatever the calibrator.
/// Errors  InvalidData naming the line that cannot be read; TableMismatch when no name is a value of the model;
/// CannotWrite.
[[nodiscard]] DETENT_API CacheImportReport import_cache(const CacheImportOptions& options);

}  // namespace detent
