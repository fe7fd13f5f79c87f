#include "detent/quantize_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "core/files/atomic_file.h"
#include "core/files/mapped_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/judge.h"
#include "model/qoperators.h"
#include "options/command_inputs.h"
#include "pipeline/parts/blocked_model.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/prepared.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/written_file.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/table_quantizer.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/workers.h"
#include "tune/bound_judge.h"
#include "tune/keep_layers_float.h"
#include "tune/score_interval.h"
#include "tune/weights/block_variants.h"

namespace detent {

namespace {

/// Returns the SQNR of the weight in dB against `back`, the floats of its codes.
double sqnr_db(const Tensor& weight, const Tensor& back) {
  const Tensor wide = cast(weight, DataType::Float32);
  const auto numbers = wide.data<float>(), coded = back.data<float>();
  double signal = 0, noise = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double error = static_cast<double>(numbers[i]) - static_cast<double>(coded[i]);
    signal += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
    noise += error * error;
  }
  let_go_of_pages(weight.raw(), weight.byte_count());
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

/// Returns what the codes of a layer's weight stand for.
Tensor floats_of(const WeightDecision& weight, const BlockedModel& blocked) {
  const BlockedWeight& codes = blocked.weights.at(weight.value);
  return codes.codes.shape().rank() == 2 ? dequantize_blocks(codes, blocked.format)
                                         : dequantize_channels(codes, weight.axis);
}

void describe_layers(QuantizeWeightsReport& report, const BlockedModel& blocked) {
  const auto& [model, format, plan, weights, rounding, rearranged] = blocked;
  const Graph& graph = model.graph();
  std::map<NodeId, const WeightDecision*> quantized;
  for (const WeightDecision& weight : plan.weights) quantized.emplace(weight.node, &weight);
  for (const LayerDecision& layer : plan.layers) {
    const Node& node = graph.node(layer.node);
    QuantizeWeightsReport::Layer line{node.name, node.op_type, false, layer.reason, layer.params, 0};
    if (const auto found = quantized.find(layer.node); found != quantized.end()) {
      line.quantized = true;
      const WeightDecision& weight = *found->second;
      line.elements = graph.constant(weight.value)->element_count();
      line.sqnr_db = sqnr_db(*graph.constant(weight.value), floats_of(weight, blocked));
    }
    report.layers.push_back(std::move(line));
  }
  std::set<ValueId> counted;
  for (const WeightDecision& weight : plan.weights)
    if (counted.insert(weight.value).second) {
      report.weight_bytes += stored_bytes(weights.at(weight.value));
      report.float_weight_bytes += graph.constant(weight.value)->byte_count();
    }
}

void describe_tables(QuantizeWeightsReport& report, const BlockedModel& blocked) {
  const Graph& graph = blocked.model.graph();
  for (const TableDecision& decision : blocked.plan.tables) {
    const auto codes = blocked.weights.find(decision.value);
    const bool quantized = codes != blocked.weights.end();
    if (!quantized && decision.exact) continue;  // it stays a plain constant
    const Tensor& table = *graph.constant(decision.value);
    QuantizeWeightsReport::Table line{.name = graph.value(decision.value).name,
                                      .op = graph.node(decision.node).op_type,
                                      .quantized = quantized,
                                      .elements = table.element_count(),
                                      .float_bytes = table.byte_count()};
    if (!quantized) {
      line.reason = "it holds NaN or Inf, or a scale a column would round too many small numbers to 0";
    } else {
      const bool exact = codes->second.scales.shape().rank() == 0;
      line.reason = exact ? "one scale; codes give back every number" : "one scale a column";
      line.sqnr_db = sqnr_db(table, dequantize_table(codes->second));
      line.bytes = stored_bytes(codes->second);
    }
    report.tables.push_back(std::move(line));
  }
}

/// Notes the tables that have the codes of a product, and its quality.
void note_tied(QuantizeWeightsReport& report, const std::vector<TiedTable>& tied) {
  for (const TiedTable& one : tied) {
    const auto table = std::ranges::find(report.tables, one.table, &QuantizeWeightsReport::Table::name);
    const auto layer = std::ranges::find(report.layers, one.product, &QuantizeWeightsReport::Layer::name);
    if (table == report.tables.end() || layer == report.layers.end()) continue;
    table->reason = "its rows are taken of the codes of '" + one.product + "'";
    table->sqnr_db = layer->sqnr_db;
    table->bytes = 0;
  }
}

QuantizeWeightsReport::Rounding describe(const BlockRounding& rounding) {
  QuantizeWeightsReport::Rounding report{rounding, rounding.layers};
  if (rounding.kept && rounding.short_of_rows > 0)
    report.reason =
        std::to_string(rounding.short_of_rows) + " of them had fewer input vectors than rows: more samples would help";
  return report;
}

QuantizeWeightsReport start_report(const QuantizeWeightsOptions& options, const BlockedRequest& request,
                                   const ModelFacts& facts) {
  QuantizeWeightsReport report;
  report.model = options.model.string(), report.output = options.output.string();
  report.target = request.target.spec();
  report.format = options.format;
  report.opset = facts.opset, report.model_bytes = facts.bytes;
  return report;
}

/// Keeps weights float until the bound is met.
BoundReport hold_weight_bound(BlockedModel& blocked, const BlockedRequest& request, const BoundJudge& judge) {
  BlockVariants variants(blocked.model, request.target, request.nodes, blocked.format, blocked.weights);
  BoundedPlan bounded = keep_layers_float({variants, blocked.model, judge, request.run});
  blocked.plan = std::move(bounded.plan);
  const auto is_left = [&](const auto& entry) {
    const auto& [weights, tables] = std::tie(blocked.plan.weights, blocked.plan.tables);
    return std::ranges::find(weights, entry.first, &WeightDecision::value) == weights.end() &&
           std::ranges::find(tables, entry.first, &TableDecision::value) == tables.end();
  };
  std::erase_if(blocked.weights, is_left);
  return std::move(bounded.report);
}

/// Adds a bound that kept layers float, and those layers with their measured cost.
void note_bound(Provenance& provenance, const BoundReport& bound) {
  if (bound.kept.empty()) return;
  std::string text = bound.bound.substr(2);  // "max-drop 0.01"
  text[text.find(' ')] = '=';
  provenance.options += "; " + text;
  for (const auto& kept : bound.kept) provenance.float_layers.emplace(kept.name, kept.reason);
}

/// Adds what an earlier command wrote about the pairs of the file.
void keep_origin(Provenance& provenance, const Provenance& before) {
  provenance.calibrator = before.calibrator, provenance.ranges = before.ranges;
  provenance.sample_digest = before.sample_digest, provenance.source_producer = before.source_producer;
  if (provenance.samples == 0) provenance.samples = before.samples;
  if (!before.options.empty()) provenance.options = before.options + "; " + provenance.options;
  provenance.float_layers.insert(before.float_layers.begin(), before.float_layers.end());
}

}  // namespace

QuantizeWeightsReport quantize_weights(const QuantizeWeightsOptions& options) {
  const StopScope stop(options.run.stop);
  const InputFiles protected_inputs = protect_inputs(options);
  const Stopwatch stopwatch;
  const RequestedSamples samples = requested_samples(options.data, &options.bound.evaluation.data, options.run);
  check_writable(options.output, options.overwrite);
  static_cast<void>(block_format(options.format));  // refused before the model is read
  check_takes_pairs(find_target(options.target));
  const BlockedRequest request{options.format, find_target(options.target), options.nodes, options.run};
  Model model = read_model_with_pairs(options.model);
  const ModelFacts facts = facts_of(model);
  const bool has_codes = is_quantized(model.graph()) || find_quantized_body(model.graph());
  const std::optional<Provenance> before = has_codes ? read_provenance(model) : std::nullopt;
  const std::string judged_by = judged_outputs_text(model.graph(), options.run);
  std::unique_ptr<IdentifiedSamples> data;  // to round codes by, and perhaps to measure the closing error on
  if (samples.data.given()) data = std::make_unique<IdentifiedSamples>(open_samples(samples.data, model));
  ClosingSamples closing_on = closing_samples(options, samples, data.get(), model);
  const bool scores = options.bound.given() || judges_a_task(options.bound.evaluation);
  const std::optional<Model> original = scores ? std::optional(model.clone()) : std::nullopt;
  const auto by_task =
      original ? open_judge(options.bound, samples.eval, *original, data.get(), options.run, samples.data) : nullptr;
  QuantizeWeightsReport report = start_report(options, request, facts);
  const auto inputs =
      closing_on.source ? read_first_inputs(*closing_on.source, options.run) : made_up_inputs(model.graph());
  closing_on.keep_reference(model, options.run);

  // weights -> nearest codes -> codes that keep the layers' outputs -> layers that stay float
  BlockedModel blocked = make_blocked_model(std::move(model), request, data.get(), inputs);
  report.notes = blocked.plan.notes;
  report.format.block = blocked.format.block;
  if (has_codes)
    report.notes.emplace_back(
        "the model has codes already: they stay, and errors are measured against the model as it is");
  if (!judged_by.empty()) report.notes.push_back(judged_by);
  if (options.bound.given()) report.bound = hold_weight_bound(blocked, request, *by_task);
  if (report.bound) report.score = report.bound->score;
  report.rearranged = blocked.rearranged;
  if (blocked.rounding) report.rounding = describe(*blocked.rounding);
  describe_layers(report, blocked);
  describe_tables(report, blocked);
  report.provenance = describe_blocked_origin(blocked, request, facts);
  if (before) keep_origin(report.provenance, *before);
  if (report.bound) note_bound(report.provenance, *report.bound);

  // codes -> closing error -> file -> verdict
  note_tied(report, write_blocks(blocked));
  const std::optional<ClosingError> error = closing_on.error_of(blocked.model, options.run);
  if (error) report.error = error->report, report.error_source = closing_on.text({});
  if (by_task && !report.bound) report.score = measure_score(*by_task, blocked.model, options.run);
  write_provenance(blocked.model, report.provenance);
  write_quantized(blocked.model, facts, options, report);
  report.verdict = judge({.quantized = !blocked.weights.empty(),
                          .calibration_samples = blocked.rounding ? blocked.rounding->samples : 0,
                          .closing = error.value_or(ClosingError{}),
                          .calibrated_with = blocked.rounding ? closing_on.count_read(data->identities()) : 0});
  add_cost(stopwatch, report);
  return report;
}

}  // namespace detent
