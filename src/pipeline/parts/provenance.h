#pragma once

#include <map>
#include <optional>
#include <string>

#include "calibrate/calibration.h"
#include "detent/base/qparams.h"
#include "detent/reports/provenance.h"
#include "model/model.h"
#include "pipeline/parts/changed_options.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// Fingerprint of the ranges by the values' names: neither ids nor the order of values matter.
[[nodiscard]] std::string ranges_fingerprint(const Graph& graph, const std::map<ValueId, Range>& ranges);

/// Returns the provenance that all quantized variants of a Prepared share; `calibrator` and `ranges` are left to the
/// caller.
[[nodiscard]] Provenance describe_origin(const Prepared& prepared, const Calibration& calibration,
                                         const DecidingOptions& options);

/// Writes it into the model: the producer, and metadata under `detent.`. All other metadata stays.
void write_provenance(Model& model, const Provenance& provenance);
/// What the model says; nullopt when Detent did not write it.
[[nodiscard]] std::optional<Provenance> read_provenance(const Model& model);

}  // namespace detent
