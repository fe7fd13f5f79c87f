#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/qparams.h"
#include "detent/options/run_settings.h"
#include "model/graph/graph.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"
#include "run/deciding_samples.h"
#include "tune/refine/layer_matrix.h"
#include "tune/refine/round_by_moments.h"

namespace detent {

/// A weight that may be rounded, and every layer that reads it.
struct RoundedWeight {
  ValueId value{};
  struct Reader {
    WeightDecision decision;
    ValueId input{};
    std::optional<QParams> grid;  ///< of the pair on the input; absent: the input is float
  };
  std::vector<Reader> readers;  ///< with equal matrices
  LayerMatrix matrix;
  int axis = -1;  ///< of the scales
  WeightOptions options;
  QuantizedWeight nearest;
};

/// Returns the weights, in the order of the plan, whose readers are all quantized along one axis with one set of
/// scales, whose inputs can run, and that have at most `most_columns` columns.
/// Errors  those of make_qdq_patch.
[[nodiscard]] std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan,
                                                          const std::map<ValueId, Range>& ranges,
                                                          const RewriteOptions& format, int64_t most_columns);

/// The input vectors of a layer: [reader][sample], each groups x positions x columns.
using LayerVectors = std::vector<std::vector<std::vector<float>>>;

/// Runs `variant`, a quantized copy of the float model, up to the inputs of the layers that read `weights`. Keeps the
/// vectors that the layers read (behind their pairs) at up to `most` positions of each batch of `source`.
/// graph    of the float model; the variant has values of the same names.
/// Returns  by weight; samples in the order of the source.
/// Errors   those of reading and running; Interrupted.
[[nodiscard]] std::vector<LayerVectors> gather_inputs(const Graph& graph, const Model& variant,
                                                      std::span<const RoundedWeight> weights, int64_t most,
                                                      const DataSource& source, const RunSettings& settings);

/// Limits of rounding by inputs.
inline constexpr int64_t kMostRoundedColumns = 8192;
inline constexpr int64_t kRoundingPositions = 128;  ///< of each batch

/// The samples that moments come from, and others that decide whether to keep the rounding.
struct RoundingSamples : SampleSplit {
  using SampleSplit::SampleSplit;
  /// At least 4 decide.
  [[nodiscard]] bool enough() const { return deciding.size() >= 4; }
};

/// Returns the moments of one group of the layer, over all readers and samples.
[[nodiscard]] SecondMoments moments_of(const LayerVectors& vectors, const LayerMatrix& matrix, int64_t group);

/// Returns how many of the weights from `first` on have inputs that fit into 128 MiB together, with `positions` of each
/// sample; at least one.
[[nodiscard]] size_t group_size(std::span<const RoundedWeight> weights, size_t first, size_t samples,
                                int64_t positions = kRoundingPositions);

/// Calls round(i) for each weight: small layers in parallel, layers of 1024 columns or more one at a time.
void for_each_weight(std::span<const RoundedWeight> weights, size_t threads, const std::function<void(size_t)>& round);

}  // namespace detent
