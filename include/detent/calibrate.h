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

struct CalibrateOptions {
  std::filesystem::path model, output;
  DataOptions data;
  std::vector<std::string> targets;  ///< only values that these quantize by `placement`; empty: what any target could
  /// Other than Fp32: what all float values reach is measured too, which 16-bit float types ask of a table. Absent:
  /// that of the targets.
  std::optional<FloatType> float_type;
  PlacementOptions placement;
  EqualizeOptions equalize;  ///< bias correction needs ranges: it is not for here
  RunSettings run;
  /// Go on with OUTPUT.partial if it is there. An OUTPUT that is the complete table of these samples is kept, unless
  /// `overwrite`.
  bool resume = false;
  /// Every so many seconds what is measured goes to OUTPUT.partial, for a process that is killed; 0: only an
  /// interruption writes it.
  double checkpoint_seconds = 60;
  /// "native", or "avx2" or "avx512": the same bits on every CPU that has it. Holds for the process:
  /// use_instruction_set().
  std::string isa = "native";
  bool overwrite = false;
};

/// Makes a calibration table in one pass over the data. The same samples in any order, threads and shards give the same
/// bytes. A shard that has no samples, because there are more shards than those, gives a table too.
///
/// Errors   InvalidModel, Unsupported, InvalidData, Usage, InvalidOption and CannotWrite as quantize_model; Interrupted
///          leaves OUTPUT.partial, a table of the samples done; any other error leaves the last checkpoint.
///          TableMismatch when what `resume` finds is of other samples, another shard or other options.
[[nodiscard]] DETENT_API TableReport calibrate_model(const CalibrateOptions& options);

}  // namespace detent
