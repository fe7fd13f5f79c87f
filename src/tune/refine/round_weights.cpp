#include "tune/refine/round_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/files/mapped_file.h"
#include "core/stopwatch.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "rewrite/quantized_model.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/refine/gather_inputs.h"
#include "tune/refine/judge_rounding.h"
#include "tune/refine/round_by_moments.h"
#include "tune/refine/rounding_inputs.h"

namespace detent {

namespace {

/// Scale of the element that lies at `offset`.
float scale_at(const RoundedWeight& weight, const Shape& shape, int64_t offset) {
  const auto& scale = weight.nearest.qparams.scale;
  if (weight.axis < 0) return scale.front();
  const auto axis = static_cast<size_t>(weight.axis);
  return scale[static_cast<size_t>(offset / shape.element_count(axis + 1, shape.rank()) % shape[axis])];
}

/// The float weight that has these codes. Weights at the end of the grid stay as they are: scales are made of them.
Tensor rounded(const RoundedWeight& weight, const Tensor& constant, const LayerVectors& vectors, const CodeGrid& grid) {
  const LayerMatrix& matrix = weight.matrix;
  Tensor values = cast(constant, DataType::Float32).clone();
  const auto data = values.mutable_data<float>();
  WeightRows rows{matrix.rows, matrix.columns};
  rows.weights.resize(static_cast<size_t>(matrix.rows * matrix.columns));
  rows.scales.resize(rows.weights.size());
  for (int64_t group = 0; group < matrix.groups; ++group) {
    const auto at = [&](size_t i) {
      const auto element = static_cast<int64_t>(i);
      return matrix.offset(group, element / matrix.columns, element % matrix.columns);
    };
    for (size_t i = 0; i < rows.weights.size(); ++i) {
      rows.weights[i] = data[static_cast<size_t>(at(i))];
      rows.scales[i] = scale_at(weight, constant.shape(), at(i));
    }
    const std::vector<float> chosen = round_by_moments(rows, grid, moments_of(vectors, matrix, group));
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] == grid.nearest(rows.weights[i], rows.scales[i])) continue;
      // The last number is written short of the largest weight, whose size makes the scale.
      const bool last = std::abs(chosen[i]) == grid.largest();
      data[static_cast<size_t>(at(i))] =
          rows.scales[i] * (last ? std::copysign(grid.short_of_largest(), chosen[i]) : chosen[i]);
    }
  }
  return cast(values, constant.type());
}

/// False: the rewriter would take another scale (a range that is searched for).
bool keeps_scales(const RoundedWeight& weight, const Tensor& values) {
  return quantize_weight(values, weight.axis, weight.options).qparams.scale == weight.nearest.qparams.scale;
}

bool same_codes(const RoundedWeight& weight, const Tensor& values) {
  const Tensor codes = quantize_weight(values, weight.axis, weight.options).codes;
  return std::memcmp(codes.raw(), weight.nearest.codes.raw(), static_cast<size_t>(codes.element_count())) == 0;
}

/// New weights by place of `weights`; an empty handle where the nearest codes stay.
std::vector<Tensor> round_group(const Graph& graph, std::span<const RoundedWeight> weights,
                                std::vector<LayerVectors> vectors, const CodeGrid& grid, size_t threads) {
  std::vector<Tensor> results(weights.size());
  const auto round = [&](size_t w) {
    const Tensor& constant = *graph.constant(weights[w].value);
    Tensor values = rounded(weights[w], constant, vectors[w], grid);
    vectors[w] = {};
    let_go_of_pages(constant.raw(), constant.byte_count());
    if (keeps_scales(weights[w], values) && !same_codes(weights[w], values))
      results[w] = shared_by_models(std::move(values));
  };
  for_each_weight(weights, threads, round);
  return results;
}

}  // namespace

WeightRounding round_weights(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                             const RewriteOptions& format, const DataSource* source, const RunSettings& settings) {
  if (!source)
    throw Error(ErrorCode::InvalidOption, "weights are rounded by what layers read, but there is no --data to run");
  const Stopwatch stopwatch;
  const RoundingSamples split(*source);
  if (!split.enough()) return {.patch = {}, .report = {.reason = "fewer than 8 samples"}};
  const SampleSubset samples(*source, split.deciding), others(*source, split.measuring);
  const Graph& graph = model.graph();
  const std::vector<RoundedWeight> weights = weights_to_round(graph, plan, ranges, format, kMostRoundedColumns);
  RunSettings quiet = settings;
  quiet.reporter = &Reporter::silent();
  const Model quantized = quantized_model(model, plan, ranges, format);
  const CodeRange integers{-(1 << (format.weight_bits - 1)), (1 << (format.weight_bits - 1)) - 1};
  const CodeGrid grid = format.weight_type() == DataType::Float8E4M3FN ? CodeGrid::e4m3() : CodeGrid(integers);

  WeightRounding result;
  settings.reporter->begin("rounding weights", weights.size());
  for (size_t first = 0; first < weights.size();) {
    const auto group = std::span(weights).subspan(first, group_size(weights, first, others.size()));
    auto vectors = gather_inputs(graph, quantized, group, kRoundingPositions, others, quiet);
    auto tensors = round_group(graph, group, std::move(vectors), grid, worker_count(settings));
    for (size_t w = 0; w < group.size(); ++w)
      if (!tensors[w].empty_handle())
        result.patch.replace_constants.emplace_back(graph.value(group[w].value).name, std::move(tensors[w]));
    settings.reporter->advance_to(first += group.size());
  }
  settings.reporter->end();

  WeightRoundingReport& report = result.report;
  report.weights = result.patch.replace_constants.size();
  if (report.weights > 0) {
    report.samples = samples.size();
    result.patch.reason = "round weights";
    const RoundingJudgement judged = judge_rounding(
        model, quantized.clone(), quantized_model(model, plan, ranges, format, result.patch), samples, settings);
    report.sqnr_before_db = judged.before_db, report.sqnr_after_db = judged.after_db;
    report.kept = judged.kept, report.reason = judged.reason;
  } else {
    report.reason = "every weight is rounded best to its nearest code";
  }
  if (!report.kept) result.patch = {};
  report.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
