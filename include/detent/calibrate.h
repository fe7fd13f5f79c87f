#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/data_source.h"
#include "detent/equalize_options.h"
#include "detent/float_types.h"
#include "detent/placement_options.h"
#include "detent/run_settings.h"
#include "detent/table_report.h"

namespace detent {

struct CalibrateOptions {
  std::filesystem::path model, output;
  DataOptions data;
  std::vector<std::string> targets;  ///< only values that these quantize by `placement`; empty: what any target could
  /// Other than Fp32: what all float values reach is measured too, which 16-bit float types ask of a table. Absent: that of the
  /// targets.
  std::optional<FloatType> float_type;
  PlacementOptions placement;
  EqualizeOptions equalize;  ///< bias correction needs ranges: it is not for here
  RunSettings run;
  bool resume = false;  ///< go on with OUTPUT.partial if it is there
  bool overwrite = false;
};

/// Makes a calibration table in one pass over the data. The same samples in any order, threads and shards give the same
/// bytes.
///
/// Errors   InvalidModel, Unsupported, InvalidData, Usage, InvalidOption and CannotWrite as quantize_model; Interrupted
///          leaves OUTPUT.partial, a table of the samples done.
[[nodiscard]] TableReport calibrate_model(const CalibrateOptions& options);

}  // namespace detent
