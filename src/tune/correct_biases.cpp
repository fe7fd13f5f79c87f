#include "tune/correct_biases.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/channel_errors.h"
#include "evaluate/compared_values.h"
#include "evaluate/sample_scores.h"
#include "evaluate/trial.h"
#include "exec/runnable_part.h"
#include "ops/traits.h"
#include "rewrite/quantized_model.h"
#include "run/deciding_samples.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

/// A quantized layer whose bias can be corrected.
struct Layer {
  std::string output, bias;
  size_t from_right = 0;  ///< axes of the output behind its channels
};

std::optional<Layer> correctable(const Graph& graph, const LayerDecision& decision) {
  const Node& node = graph.node(decision.node);
  const OpTraits& traits = traits_of(graph, node);
  if (!decision.is_quantized() || traits.bias_slot < 0 || !node.output(0)) return std::nullopt;
  const MaybeValue bias = node.input(traits.bias_slot);
  const Tensor *constant = graph.constant(bias), *weight = graph.constant(node.input(1));
  if (!constant || !weight || constant->shape().rank() != 1 || graph.value(*bias).uses.size() != 1) return std::nullopt;
  if (traits.kind == OpKind::Gemm && node.float_or("beta", 1) != 1) return std::nullopt;
  const size_t from_right = traits.kind == OpKind::Gemm ? 0 : weight->shape().rank() - 2;
  return Layer{graph.value(*node.output(0)).name, graph.value(*bias).name, from_right};
}

Tensor corrected(const Tensor& bias, const std::vector<double>& errors) {
  const Tensor wide = cast(bias, DataType::Float64);
  std::vector<double> values(wide.data<double>().begin(), wide.data<double>().end());
  for (size_t c = 0; c < values.size(); ++c) values[c] += errors[c];
  return cast(Tensor::from<double>(bias.shape(), std::span<const double>(values)), bias.type());
}

/// Corrects the biases of one quantized model and judges them. Its members must outlive it.
class BiasCorrector {
 public:
  BiasCorrector(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                const RewriteOptions& format, const RunSettings& settings, const GraphPatch& weights)
      : model_(model), plan_(plan), ranges_(ranges), format_(format), settings_(settings), weights_(weights) {}

  /// Returns new biases, layer by layer, from the means of `samples`.
  [[nodiscard]] GraphPatch corrected_by(const DataSource& samples) {
    const Graph& graph = model_.graph();
    const std::vector<Layer> layers = correctable_layers();
    RunSettings quiet = settings_;
    quiet.reporter = &Reporter::silent();
    // Float biases: changing one changes nothing else in the measured network.
    RewriteOptions measured = format_;
    measured.int32_bias = false;
    Model partly = quantized_model(model_, plan_, ranges_, measured, weights_, &memo_);
    GraphPatch patch;
    Reporter& reporter = *settings_.reporter;
    reporter.begin("correcting biases", layers.size());
    size_t done = 0;
    for (const Layer& layer : layers) {
      const Tensor& bias = *graph.constant(graph.find_value(layer.bias));
      const auto errors = channel_errors(model_, partly, {layer.output, layer.from_right, ranges_}, samples, quiet);
      if (errors && errors->size() == static_cast<size_t>(bias.element_count())) {
        Tensor better = corrected(bias, *errors);
        apply_patch(partly, {.reason = "correct a bias", .replace_constants = {{layer.bias, better}}});
        patch.replace_constants.emplace_back(layer.bias, std::move(better));
      }
      reporter.advance_to(++done);
    }
    reporter.end();
    if (!patch.replace_constants.empty()) patch.reason = "correct biases";
    return patch;
  }

  /// Compares the models as they would be written, with and without the new biases, on `deciding`.
  void judge(const GraphPatch& patch, const DataSource& deciding, BiasCorrectionReport& report) {
    const auto with = [&](const GraphPatch& constants) {
      return quantized_model(model_, plan_, ranges_, format_, constants, &memo_);
    };
    static_cast<MeasuredChange&>(report) =
        judge_change({model_, [&] { return with(weights_); }, [&] { return with(joined(weights_, patch)); }, deciding,
                      settings_, "comparing corrected biases", 0.0});
  }

 private:
  [[nodiscard]] std::vector<Layer> correctable_layers() const {
    const Graph& graph = model_.graph();
    const RunnablePart runnable(graph);
    std::vector<Layer> layers;
    for (const LayerDecision& decision : plan_.layers)
      if (const auto layer = correctable(graph, decision))
        if (runnable.can_run(*graph.node(decision.node).output(0))) layers.push_back(*layer);
    return layers;
  }

  const Model& model_;
  const PlacementPlan& plan_;
  const std::map<ValueId, Range>& ranges_;
  const RewriteOptions& format_;
  const RunSettings& settings_;
  const GraphPatch& weights_;
  WeightMemo memo_;  // of the model with weights_
};

}  // namespace

BiasCorrection correct_biases(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                              const RewriteOptions& format, const DataSource* source, const RunSettings& settings,
                              const GraphPatch& weights) {
  if (!source)
    throw Error(ErrorCode::InvalidOption,
                "--policy bias-correction=on measures the quantized network, but there is no --data to run");
  const Stopwatch stopwatch;
  const SampleSplit split(*source);
  if (split.deciding.size() < kFewestToJudge)
    return {.patch = {}, .report = {{.reason = fmt::format("fewer than {} samples", kFewestToRefine)}}};
  BiasCorrector corrector(model, plan, ranges, format, settings, weights);
  BiasCorrection result;
  BiasCorrectionReport& report = result.report;
  result.patch = corrector.corrected_by(SampleSubset(*source, split.measuring));
  report.layers = result.patch.replace_constants.size();
  if (report.layers > 0)
    corrector.judge(result.patch, SampleSubset(*source, split.deciding), report);
  else
    report.reason = "no INT8 layer has a constant bias that only it reads";
  if (!report.kept) result.patch = {};
  report.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
