#include "detent/quantize_weights.h"

#include <cmath>
#include <limits>

#include "core/atomic_file.h"
#include "core/peak_memory.h"
#include "core/stopwatch.h"
#include "detent/error.h"
#include "detent/version.h"
#include "evaluate/closing_error.h"
#include "exec/same_outputs.h"
#include "model/same_content.h"
#include "pipeline/plan_report.h"
#include "pipeline/provenance.h"
#include "pipeline/verdict.h"
#include "pipeline/written_file.h"
#include "place/weights_plan.h"
#include "prepare/raise_opset.h"
#include "prepare/read_model_to_run.h"
#include "prepare/weights_in_rows.h"
#include "run/model_inputs.h"
#include "run/workers.h"
#include "tune/weights/round_blocks.h"

namespace detent {

namespace {

BlockFormat block_format(const WeightFormat& format) {
  const bool known = format.block == 0 || format.block == 16 || format.block == 32 || format.block == 64 ||
                     format.block == 128 || format.block == 256;
  if (!known)
    throw Error(ErrorCode::InvalidOption, "engines know no blocks of " + std::to_string(format.block),
                "16, 32, 64, 128, 256 or channel");
  return {.codes = format.codes == WeightCodes::Int4 ? DataType::Int4 : DataType::Int8, .block = format.block};
}

/// The opset of the format, and constants as engines take them; checked on `inputs`.
size_t prepare(Model& model, const BlockFormat& format, std::span<const Tensor> inputs) {
  const bool raises = model.graph().opset() < opset_for(format);
  const bool rearranges = !put_weights_in_rows(model.graph()).rewire.empty();
  if (!raises && !rearranges) return 0;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  if (raises) raise_opset(model, opset_for(format));
  const size_t rearranged = put_weights_in_rows(model);
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "raising the opset and rearranging weights");
  return rearranged;
}

/// SQNR of the weight behind its codes in dB.
double weight_sqnr_db(const Tensor& weight, const BlockedWeight& blocked, const BlockFormat& format) {
  const Tensor wide = cast(weight, DataType::Float32), back = dequantize_blocks(blocked, format);
  const auto numbers = wide.data<float>(), coded = back.data<float>();
  double signal = 0, noise = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double error = static_cast<double>(numbers[i]) - static_cast<double>(coded[i]);
    signal += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
    noise += error * error;
  }
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

void describe_layers(QuantizeWeightsReport& report, const Graph& graph, const PlacementPlan& plan,
                     const BlockedWeights& weights, const BlockFormat& format) {
  std::map<NodeId, ValueId> quantized;
  for (const WeightDecision& weight : plan.weights) quantized.emplace(weight.node, weight.value);
  for (const LayerDecision& layer : plan.layers) {
    const Node& node = graph.node(layer.node);
    QuantizeWeightsReport::Layer line{node.name, node.op_type, false, layer.reason, layer.params, 0};
    if (const auto found = quantized.find(layer.node); found != quantized.end()) {
      line.quantized = true;
      line.elements = graph.constant(found->second)->element_count();
      line.sqnr_db = weight_sqnr_db(*graph.constant(found->second), weights.at(found->second), format);
    }
    report.layers.push_back(std::move(line));
  }
  for (const auto& [value, weight] : weights) report.weight_bytes += stored_bytes(weight);
}

QuantizeWeightsReport::Rounding describe(const BlockRounding& rounding) {
  QuantizeWeightsReport::Rounding report{rounding.layers, rounding.samples, rounding.before_db, rounding.after_db,
                                         rounding.kept,   rounding.reason,  rounding.seconds};
  if (rounding.kept && rounding.short_of_rows > 0)
    report.reason = std::to_string(rounding.short_of_rows) +
                    " of them had fewer input vectors than rows; more samples would tell more";
  return report;
}

std::string options_text(const QuantizeWeightsOptions& options, const BlockRounding* rounding) {
  std::string text = "weight-only=" + std::string(name_of(options.format.codes)) + "; block=" +
                     (options.format.block == 0 ? std::string("channel") : std::to_string(options.format.block));
  for (const std::string& pattern : options.placement.exclude) text += "; exclude=" + pattern;
  for (const std::string& op : options.placement.exclude_op) text += "; exclude-op=" + op;
  if (rounding && rounding->kept) text += "; rounding=moments";
  return text;
}

/// Writes the model, reads it back and compares.
void write_same(const Model& model, const QuantizeWeightsOptions& options) {
  if (interrupted()) throw Error(ErrorCode::Interrupted, "interrupted");
  check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
  write_model(model, options.output, write_options(options.overwrite, options.external_data));
  if (same_content(model, read_model(options.output))) return;
  std::error_code ignored;
  std::filesystem::remove(options.output, ignored);
  throw Error(ErrorCode::Internal, options.output.string() + ": reads back different from what was written");
}

/// What the written model is measured on: --eval whole, or the first of the data.
struct Closing {
  std::unique_ptr<DataSource> eval;
  const DataSource* source = nullptr;
  size_t most = 0;
  std::string what;
};

Closing closing_of(const QuantizeWeightsOptions& options, const DataSource* data, const Graph& graph) {
  Closing closing;
  if (!options.eval.sources.empty()) {
    closing.eval = open_samples(options.eval, graph);
    closing.source = closing.eval.get();
    closing.most = closing.source->size();
    closing.what = "evaluation samples";
  } else if (data) {
    closing.source = data;
    closing.most = options.error_samples;
    closing.what = "samples";
  }
  return closing;
}

}  // namespace

QuantizeWeightsReport quantize_weights(const QuantizeWeightsOptions& options) {
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  const BlockFormat format = block_format(options.format);
  const Target& target = find_target(options.target);
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const auto data = options.data.sources.empty() ? nullptr : open_samples(options.data, model.graph());
  const Closing closing = closing_of(options, data.get(), model.graph());

  QuantizeWeightsReport report;
  report.model = options.model.string(), report.output = options.output.string(), report.target = target.spec();
  report.format = options.format;
  report.opset = facts.opset, report.model_bytes = facts.bytes, report.threads = worker_count(options.run);
  const auto inputs = closing.source ? read_first_inputs(*closing.source, options.run) : made_up_inputs(model.graph());
  const auto reference =
      closing.source ? keep_outputs(model, *closing.source, closing.most, options.run) : ReferenceOutputs{};
  report.rearranged = prepare(model, format, inputs);

  // which weights -> nearest codes -> codes that keep what layers put out
  const PlacementPlan plan = make_weights_plan(model.graph(), target, options.placement,
                                               {.bits = format.codes == DataType::Int4 ? 4 : 8, .block = format.block});
  report.notes = plan.notes;
  BlockedWeights weights = quantize_weights(model.graph(), plan, format, report.threads);
  std::optional<BlockRounding> rounding;
  if (data && !plan.weights.empty()) {
    rounding = round_blocks(model, plan, format, weights, *data, options.run);
    weights = rounding->weights;
    report.rounding = describe(*rounding);
  }
  describe_layers(report, model.graph(), plan, weights, format);

  if (!plan.weights.empty()) apply_patch(model, make_blocks_patch(model.graph(), plan, weights, format));
  std::optional<ClosingError> error;
  if (closing.source) error = measure_closing_error(reference, model, *closing.source, options.run);
  if (error) report.error = error->report, report.error_source = closing.what;
  JudgedFacts judged = judged_facts(error);
  judged.quantized = !plan.weights.empty();
  judged.calibration_samples = rounding ? rounding->samples : 0;
  judged.calibrated_with = rounding && closing.source == data.get();
  report.verdict = judge(judged);
  report.provenance = Provenance{.producer = tool_version(),
                                 .target = target.spec(),
                                 .calibrator = "",
                                 .ranges = "",
                                 .samples = judged.calibration_samples,
                                 .sample_digest = "",
                                 .options = options_text(options, rounding ? &*rounding : nullptr),
                                 .source_producer = facts.producer};
  write_provenance(model, report.provenance);
  write_same(model, options);
  report.written_opset = model.graph().opset();
  report.output_bytes = std::filesystem::file_size(options.output);
  report.seconds = stopwatch.seconds();
  report.peak_mb = peak_memory_mb();
  return report;
}

}  // namespace detent
