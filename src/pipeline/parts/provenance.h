#pragma once

#include <map>
#include <optional>
#include <string>

#include "calibrate/calibration.h"
#include "detent/base/qparams.h"
#include "detent/options/equalize_options.h"
#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "detent/quantize.h"
#include "detent/reports/bound_report.h"
#include "detent/reports/provenance.h"
#include "model/model.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// The options, besides target and calibrator, that decide what a quantized model is.
struct DecidingOptions {
  const PlacementOptions& placement;
  const FormatOptions& format;
  const EqualizeOptions& equalize;
  Accuracy accuracy = Accuracy::Balanced;
  OutlierPolicy outliers = OutlierPolicy::Clip;
};

/// Results of the options that are kept only where they help.
struct DecidedResults {
  bool biases_corrected = false;       ///< the corrected biases were kept
  const BoundReport* bound = nullptr;  ///< null: none was asked for
};

/// Returns the options that differ from the target's defaults, as the command line spells them, in a fixed order:
/// "concat=inputs; exclude=^head; per-tensor=on". Each can be given again with two dashes, except "override=FILE of 2
/// values". The equalization of a table counts as asked for. Options that changed nothing are left out: an
/// equalization, bias correction, a bound that INT8 everywhere meets. "accuracy=best" stands for all that it turns on,
/// and is left out without data.
[[nodiscard]] std::string changed_options(const DecidingOptions& options, const DecidedResults& results,
                                          const Prepared& setup);

/// The options that a file was made with, as far as they say where pairs stand and what they look like.
struct RecordedOptions {
  PlacementOptions placement;
  FormatOptions format;
};

/// Reads changed_options(). Other options are left out, and those that this version does not know.
[[nodiscard]] RecordedOptions recorded_options(const std::string& text);

/// Returns a fingerprint of the ranges by the values' names, independent of ids and order.
[[nodiscard]] std::string ranges_fingerprint(const Graph& graph, const std::map<ValueId, Range>& ranges);

/// Returns the provenance that all quantized variants of a Prepared share, without `calibrator` and `ranges`.
[[nodiscard]] Provenance describe_origin(const Prepared& prepared, const Calibration& calibration,
                                         const DecidingOptions& options, const DecidedResults& results);

/// Writes the producer and metadata under `detent.` into the model. All other metadata stays.
void write_provenance(Model& model, const Provenance& provenance);
/// Reads the provenance; nullopt when Detent did not write the model.
[[nodiscard]] std::optional<Provenance> read_provenance(const Model& model);

}  // namespace detent
