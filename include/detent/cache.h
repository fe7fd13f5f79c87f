#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

/// Options of `detent cache export`.
struct CacheExportOptions {
  std::filesystem::path table, output;
  std::string calibrator = "mse";
  std::string target = "tensorrt";  ///< the cache names its version
  std::filesystem::path dla = {};   ///< float model: a cache for DLA, with the scale of every value; empty: none
  bool overwrite = false;
};

struct CacheExportReport {
  std::string table, output, calibrator;
  std::string target;          ///< "tensorrt:10.13"
  size_t scales = 0;           ///< that were written
  std::string arguments = {};  ///< path of trtexec's arguments for DLA; empty: none
};

/// Writes a TensorRT calibration cache with one scale per value; for DLA also "OUT.dla.txt" beside it, the precision
/// and device of each layer as trtexec's arguments. Errors  InvalidData for an unreadable table; Usage for an unknown
/// calibrator or target; InvalidOption for a target
///         without calibration caches; TableMismatch for a table of an equalized network; CannotWrite.
DETENT_API CacheExportReport export_cache(const CacheExportOptions& options);

/// Options of `detent cache import`.
struct CacheImportOptions {
  std::filesystem::path cache, model, output;
  bool overwrite = false;
};

struct CacheImportReport {
  std::string cache, output;
  std::string version_line;  ///< "TRT-8601-EntropyCalibration2"
  size_t imported = 0;
  std::vector<std::string> unknown;        ///< names in the cache that match no value of the model
  std::vector<std::string> without_scale;  ///< names in the cache with scale 0
  std::string target;
  std::vector<std::string> missing;  ///< values that the target's default placement quantizes but the cache lacks
};

/// Makes a calibration table from a TensorRT calibration cache. Every calibrator then uses its scales unchanged.
/// Errors  InvalidData naming the unreadable line; TableMismatch when no name is a value of the model; CannotWrite.
[[nodiscard]] DETENT_API CacheImportReport import_cache(const CacheImportOptions& options);

}  // namespace detent
