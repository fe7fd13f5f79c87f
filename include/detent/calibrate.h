#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/equalize_options.h"
#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/table_report.h"

namespace detent {

/// Options of `detent calibrate`.
struct CalibrateOptions {
  std::filesystem::path model, output;
  DataOptions data;
  std::vector<std::string>
      targets;  ///< measure only what these quantize under `placement`; empty: what any target could
  /// Fp16, Bf16: also measure the largest |x| of every float value, which 16-bit float types need. Absent: the
  /// targets'.
  std::optional<FloatType> float_type;
  PlacementOptions placement;
  EqualizeOptions equalize;  ///< without bias correction, which needs ranges
  RunSettings run;
  /// Continue OUTPUT.partial if it exists. A complete OUTPUT of the same samples is kept, unless `overwrite`.
  bool resume = false;
  /// Interval at which OUTPUT.partial is saved, in case the process is killed; 0: only on interruption.
  double checkpoint_seconds = 60;
  /// Instruction set: "native", "avx2" or "avx512"; the latter two give the same bits on every CPU that has them.
  /// Applies to the process.
  std::string isa = "native";
  bool overwrite = false;
};

/// Makes a calibration table in one pass over the data. The same samples give the same bytes in any order and with any
/// threads and shards. A shard without samples gives a table too.
///
/// Errors   InvalidModel, Unsupported, InvalidData, Usage, InvalidOption and CannotWrite as quantize_model. Interrupted
///          leaves OUTPUT.partial with the samples done; any other error leaves the last checkpoint. TableMismatch when
///          `resume` finds a table of other samples, another shard or other options.
[[nodiscard]] DETENT_API TableReport calibrate_model(const CalibrateOptions& options);

}  // namespace detent
