#include "tune/refine/round_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/files/mapped_file.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "rewrite/quantized_model.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/acceptance.h"
#include "tune/refine/round_by_moments.h"
#include "tune/refine/rounding_inputs.h"

namespace detent {

namespace {

/// Returns the index of the scale of the element at `offset`.
size_t scale_index(const RoundedWeight& weight, const Shape& shape, int64_t offset) {
  if (weight.axis < 0) return 0;
  const auto axis = static_cast<size_t>(weight.axis);
  return static_cast<size_t>(offset / shape.element_count(axis + 1, shape.rank()) % shape[axis]);
}

/// The float weight with the chosen codes, and the scales of the codes.
struct RoundedValues {
  Tensor values;
  std::vector<float> scales;
};

/// Returns by column of the matrix the column multiplied beside it, or -1. Empty where products are summed exactly.
std::vector<int64_t> neighbours_of(const RoundedWeight& weight, const Shape& shape) {
  const std::vector<int64_t> offsets = pair_offsets(shape, weight.options.safe_pairs);
  if (offsets.empty()) return {};
  std::map<int64_t, int64_t> column_at;
  for (int64_t c = 0; c < weight.matrix.columns; ++c) column_at[weight.matrix.offset(0, 0, c)] = c;
  std::vector<int64_t> neighbours(static_cast<size_t>(weight.matrix.columns), -1);
  for (size_t i = 0; i < offsets.size(); i += 2) {
    if (offsets[i + 1] < 0) continue;
    const int64_t a = column_at.at(offsets[i]), b = column_at.at(offsets[i + 1]);
    neighbours[static_cast<size_t>(a)] = b;
    neighbours[static_cast<size_t>(b)] = a;
  }
  return neighbours;
}

/// Chooses the codes of one weight, group by group.
class WeightRounder {
 public:
  WeightRounder(const RoundedWeight& weight, const Tensor& constant, const CodeGrid& grid)
      : weight_(weight), matrix_(weight.matrix), grid_(grid), shape_(constant.shape()),
        neighbours_(neighbours_of(weight, constant.shape())), type_(constant.type()),
        values_(cast(constant, DataType::Float32).clone()), scales_(weight.nearest.qparams.scale) {}

  RoundedValues run(const LayerVectors& vectors) {
    for (int64_t group = 0; group < matrix_.groups; ++group) round_group(group, moments_of(vectors, matrix_, group));
    return {cast(values_, type_), std::move(scales_)};
  }

 private:
  [[nodiscard]] int64_t offset(int64_t group, size_t i) const {
    const auto element = static_cast<int64_t>(i);
    return matrix_.offset(group, element / matrix_.columns, element % matrix_.columns);
  }

  void round_group(int64_t group, const SecondMoments& moments) {
    WeightRows rows{matrix_.rows, matrix_.columns};
    rows.weights.resize(static_cast<size_t>(matrix_.rows * matrix_.columns));
    rows.scales.resize(rows.weights.size());
    const auto data = values_.mutable_data<float>();
    for (size_t i = 0; i < rows.weights.size(); ++i) {
      rows.weights[i] = data[static_cast<size_t>(offset(group, i))];
      rows.scales[i] = scales_[scale_index(weight_, shape_, offset(group, i))];
    }
    const RowRounding rounding(moments);
    if (neighbours_.empty()) return write(group, rows, rounding.round(rows, grid_).numbers);
    rows.neighbours = neighbours_;
    rows.any_code = true;
    RoundedRows best = rounding.round(rows, grid_.symmetric());
    if (weight_.axis >= 0 && weight_.options.range == WeightRange::Max) try_smaller_scales(group, rounding, rows, best);
    for (int64_t row = 0; row < rows.rows; ++row)
      scales_[scale_index(weight_, shape_, matrix_.offset(group, row, 0))] =
          rows.scales[static_cast<size_t>(row * rows.columns)];
    write(group, rows, best.numbers);
  }

  /// Tries smaller scales than that of the nearest codes, which leave some pairs unsafe whose codes are then moved.
  /// Takes the scale at which a row costs least.
  void try_smaller_scales(int64_t group, const RowRounding& rounding, WeightRows& rows, RoundedRows& best) const {
    const auto columns = static_cast<size_t>(rows.columns);
    std::vector<float> least(static_cast<size_t>(rows.rows)), most(least.size());
    bool raised = false;
    for (size_t row = 0; row < least.size(); ++row) {
      float amax = 0;
      for (size_t c = 0; c < columns; ++c) amax = std::max(amax, std::abs(rows.weights[row * columns + c]));
      const size_t index = scale_index(weight_, shape_, matrix_.offset(group, static_cast<int64_t>(row), 0));
      const auto& floors = weight_.options.least_scale;
      most[row] = rows.scales[row * columns];
      least[row] = std::min(most[row], std::max(amax / grid_.largest(), floors.empty() ? 0.0F : floors[index]));
      raised = raised || least[row] < most[row];
    }
    if (!raised) return;
    constexpr int kSteps = 4;
    WeightRows trial = rows;
    for (int step = 1; step <= kSteps; ++step) {
      const float part = static_cast<float>(step) / kSteps;
      for (size_t i = 0; i < trial.scales.size(); ++i)
        trial.scales[i] = most[i / columns] + part * (least[i / columns] - most[i / columns]);
      const RoundedRows tried = rounding.round(trial, grid_.symmetric());
      for (size_t row = 0; row < least.size(); ++row) {
        if (tried.costs[row] >= best.costs[row]) continue;
        best.costs[row] = tried.costs[row];
        std::copy_n(tried.numbers.begin() + static_cast<ptrdiff_t>(row * columns), columns,
                    best.numbers.begin() + static_cast<ptrdiff_t>(row * columns));
        std::copy_n(trial.scales.begin() + static_cast<ptrdiff_t>(row * columns), columns,
                    rows.scales.begin() + static_cast<ptrdiff_t>(row * columns));
      }
    }
  }

  /// Writes the chosen codes as floats. Weights that keep their nearest code keep their bits.
  void write(int64_t group, const WeightRows& rows, const std::vector<float>& chosen) {
    const auto data = values_.mutable_data<float>();
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] == grid_.nearest(rows.weights[i], rows.scales[i])) continue;
      // The largest number is written a bit smaller than the largest weight, which determines the scale.
      const bool last = std::abs(chosen[i]) == grid_.largest() && !rows.any_code;
      data[static_cast<size_t>(offset(group, i))] =
          rows.scales[i] * (last ? std::copysign(grid_.short_of_largest(), chosen[i]) : chosen[i]);
    }
  }

  const RoundedWeight& weight_;
  const LayerMatrix& matrix_;
  const CodeGrid& grid_;
  const Shape& shape_;
  std::vector<int64_t> neighbours_;
  DataType type_;
  Tensor values_;
  std::vector<float> scales_;
};

QuantizedWeight quantized_again(const RoundedWeight& weight, const RoundedValues& rounded) {
  WeightOptions options = weight.options;
  if (options.safe_pairs.kind != PairOrder::Kind::None) options.given_scale = rounded.scales;
  return quantize_weight(rounded.values, weight.axis, options);
}

/// False when the rewriter would take another scale (WeightRange::Mse), or the codes are the nearest ones.
bool is_worth_writing(const RoundedWeight& weight, const RoundedValues& rounded) {
  const QuantizedWeight again = quantized_again(weight, rounded);
  if (again.qparams.scale != rounded.scales) return false;
  return again.qparams.scale != weight.nearest.qparams.scale ||
         std::memcmp(again.codes.raw(), weight.nearest.codes.raw(), static_cast<size_t>(again.codes.element_count())) !=
             0;
}

/// Returns new weights in the order of `weights`; an empty handle where the nearest codes stay.
std::vector<RoundedValues> round_group(const Graph& graph, std::span<const RoundedWeight> weights,
                                       std::vector<LayerVectors> vectors, const CodeGrid& grid, size_t threads) {
  std::vector<RoundedValues> results(weights.size());
  const auto round = [&](size_t w) {
    const Tensor& constant = *graph.constant(weights[w].value);
    RoundedValues rounded = WeightRounder(weights[w], constant, grid).run(vectors[w]);
    vectors[w] = {};
    let_go_of_pages(constant.raw(), constant.byte_count());
    if (is_worth_writing(weights[w], rounded))
      results[w] = {shared_by_models(std::move(rounded.values)), std::move(rounded.scales)};
  };
  for_each_weight(weights, threads, round);
  return results;
}

/// Rounds all weights, group by group, by the layers' inputs on `samples`. Does not judge them.
WeightRounding round_all(const Graph& graph, const Model& quantized, std::span<const RoundedWeight> weights,
                         const CodeGrid& grid, const DataSource& samples, const RunSettings& settings) {
  RunSettings quiet = settings;
  quiet.reporter = &Reporter::silent();
  WeightRounding result;
  settings.reporter->begin("rounding weights", weights.size());
  for (size_t first = 0; first < weights.size();) {
    const auto group = weights.subspan(first, group_size(weights, first, samples.size()));
    auto vectors = gather_inputs(graph, quantized, group, kRoundingPositions, samples, quiet);
    auto rounded = round_group(graph, group, std::move(vectors), grid, worker_count(settings));
    for (size_t w = 0; w < group.size(); ++w) {
      if (rounded[w].values.empty_handle()) continue;
      const std::string& name = graph.value(group[w].value).name;
      result.patch.replace_constants.emplace_back(name, std::move(rounded[w].values));
      if (group[w].options.safe_pairs.kind != PairOrder::Kind::None) result.scales[name] = std::move(rounded[w].scales);
    }
    settings.reporter->advance_to(first += group.size());
  }
  settings.reporter->end();
  return result;
}

}  // namespace

WeightRounding round_weights(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                             const RewriteOptions& format, const DataSource* source, const RunSettings& settings) {
  if (!source)
    throw Error(ErrorCode::InvalidOption, "rounding weights by the layers' inputs needs --data, which was not given");
  const Stopwatch stopwatch;
  const RoundingSamples split(*source);
  if (!split.enough()) return {.patch = {}, .report = {{.reason = "fewer than 8 samples"}}};
  const SampleSubset samples(*source, split.deciding), others(*source, split.measuring);
  const std::vector<RoundedWeight> weights = weights_to_round(model.graph(), plan, ranges, format, kMostRoundedColumns);
  const Model quantized = quantized_model(model, plan, ranges, format);
  const int32_t highest = (1 << (format.weight_bits - 1)) - 1;
  const CodeRange integers{format.narrow_weights ? -highest : -highest - 1, highest};
  const CodeGrid grid = format.weight_type() == DataType::Float8E4M3FN ? CodeGrid::e4m3() : CodeGrid(integers);
  WeightRounding result = round_all(model.graph(), quantized, weights, grid, others, settings);
  WeightRoundingReport& report = result.report;
  report.weights = result.patch.replace_constants.size();
  if (report.weights > 0) {
    result.patch.reason = "round weights";
    RewriteOptions rounded_format = format;
    rounded_format.weight_scales = result.scales;
    const auto rounded = [&] { return quantized_model(model, plan, ranges, rounded_format, result.patch); };
    static_cast<MeasuredChange&>(report) = judge_change(
        {model, [&] { return quantized.clone(); }, rounded, samples, settings, "comparing rounded weights"});
  } else {
    report.reason = "the nearest code is best for every weight";
  }
  if (!report.kept) result.patch = {}, result.scales.clear();
  report.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
