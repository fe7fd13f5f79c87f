#pragma once

#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "tune/refine/layers_to_round.h"

namespace detent {

/// The vectors that a layer reads: [reader][sample], each groups x positions x columns.
using LayerVectors = std::vector<std::vector<std::vector<float>>>;

/// Runs `variant`, a quantized copy of the float model, as far as the inputs of the layers that read `weights`, and
/// keeps the vectors that these read (behind the pairs of their inputs) at up to `most` positions of each batch of
/// `source`. graph    of the float model; the variant has values of the same names.
/// Returns  by weight; samples in the
/// order of the source.
/// Errors  those of reading and running; Interrupted.
[[nodiscard]] std::vector<LayerVectors> gather_inputs(const Graph& graph, const Model& variant,
                                                      std::span<const RoundedWeight> weights, int64_t most,
                                                      const DataSource& source, const RunSettings& settings);

}  // namespace detent
