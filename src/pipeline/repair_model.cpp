#include "detent/repair.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "calibrate/choose_ranges.h"
#include "core/code_words.h"
#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "evaluate/closing_error.h"
#include "evaluate/judge.h"
#include "exec/find_shapes.h"
#include "lint/view/lint_view.h"
#include "model/graph_patch.h"
#include "model/qoperators.h"
#include "ops/weight_pairs.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/repaired_pairs.h"
#include "pipeline/parts/written_file.h"
#include "place/make_plan.h"
#include "prepare/fold_constants.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"
#include "repair/carried_scales.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/format_options.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/weight_quantizer.h"
#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Refuses files that repair cannot read.
/// Errors  InvalidModel.
void refuse_others(const Graph& graph, const QdqReading& reading) {
  const auto refuse = [](const std::string& why, const std::string& hint) {
    throw Error(ErrorCode::InvalidModel, "repair needs a file with pairs of INT8 codes, but " + why, hint);
  };
  if (std::ranges::any_of(graph.nodes(), [](const Node& node) { return is_qoperator(node); }))
    refuse("this one has integer operators (QLinearConv ...), which hold no pairs",
           "quantize the float model, or write it in the Q/DQ form");
  if (reading.nodes.empty()) refuse("this one has none", "'detent quantize' quantizes a float model");
  if (reading.type() == CodeType::Fp8) refuse("this one has FP8 codes", "");
  if (std::ranges::any_of(reading.nodes, &QdqNode::is_weight_alone))
    refuse("this one has weights alone, in blocks or 4 bits", "'detent lint' checks it");
}

/// Returns the layers that the file leaves float, with the reason for the plan.
MeasuredFacts float_layers(const TrainedPairs& trained, const Target& target, const Graph& written,
                           const Graph& graph) {
  const ValueShapes none;
  const LintedFile file(written);
  const LintView view(trained.model.graph(), trained.reading, target, none, file);
  MeasuredFacts facts;
  for (const Node& node : view.graph().nodes())
    if (view.found().is_weighted(node.id) && !view.is_meant_int8(node.id) && graph.find_node(node.name) != kNoNode)
      facts.costly.emplace(node.name, "float in the file");
  return facts;
}

/// True when the file quantizes a product of two activations.
bool quantizes_products(const TrainedPairs& trained) {
  const Graph& graph = trained.model.graph();
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return node.op_type == "MatMul" && trained.read.contains({node.name, 0}) && trained.read.contains({node.name, 1});
  });
}

ValueShapes shapes_of(const Graph& graph, const DataSource* source, const RunSettings& run) {
  if (source) return find_shapes(graph, read_first_inputs(*source, run));
  return shapes_without_data(graph, {}).value_or(ValueShapes{});
}

/// Returns the weights whose codes can saturate on some CPUs of the target. As UINT8 with zero point 128 they stand for
/// the same numbers and cannot.
std::set<std::string> saturating_weights(const Graph& graph, const PlacementPlan& plan, const CarriedWeights& carried) {
  std::set<std::string> names;
  for (const WeightDecision& weight : plan.weights) {
    const Tensor* tensor = graph.constant(weight.value);
    const std::string& name = graph.value(weight.value).name;
    const auto scales = carried.scales.find(name);
    if (!tensor || scales == carried.scales.end()) continue;
    const PairOrder order = weight_pairs(graph, graph.node(weight.node), weight.slot, tensor->shape());
    if (order.kind == PairOrder::Kind::None) continue;
    const QuantizedWeight quantized = quantize_weight(*tensor, weight.axis, {.given_scale = scales->second});
    if (count_unsafe_pairs(quantized.codes, order).pairs > 0) names.insert(name);
  }
  return names;
}

/// The file as a float model, and the plan for the target.
struct Repair {
  const RepairOptions& options;
  const Target& target;
  TrainedPairs trained;
  std::unique_ptr<IdentifiedSamples> source = nullptr;  ///< nullptr without data
  Model model;                                          ///< trained.model, prepared
  PlacementOptions placement;
  RewriteOptions format;
  MeasuredFacts facts;  ///< layers that are float in the file
  PlacementPlan plan;
  std::map<ValueId, CarriedRange> carried;
  CarriedWeights weights;
  std::map<ValueId, Range> ranges = {};
  size_t measured = 0;

  Repair(const RepairOptions& given, const Target& engine, const Model& written)
      : options(given), target(engine), trained(written), model(trained.model.clone()) {
    if (given.data.given()) source = std::make_unique<IdentifiedSamples>(open_samples(given.data, written.graph()));
    placement.small_layers = PlacementOptions::SmallLayers::Quantize;  // the file quantizes them on purpose
    if (quantizes_products(trained)) placement.attention = PlacementOptions::Attention::Int8;
    format = rewrite_options({}, placement, target);
    format.weight_bits = 8;
    placement = placement_with(format, placement, target);
    prepare_model(model, target, prepare_options(placement));
    facts = float_layers(trained, target, written.graph(), graph());
    make_plan(shapes_of(graph(), source.get(), given.run));
    carried = carry_ranges(graph(), plan, trained, format.range_kind());
    weights = carry_weights(graph(), plan, trained, format.per_tensor_weights);
    format.weight_scales = weights.scales;
    if (format.saturation != RewriteOptions::Saturation::None)
      format.uint8_weights = saturating_weights(graph(), plan, weights);
  }

  [[nodiscard]] const Graph& graph() const { return model.graph(); }

  /// Fills the ranges; measures the values that no pair of the file says anything about.
  void find_ranges() {
    const auto calibrator = make_calibrator("mse");
    const RangeOverrides none;
    const RangeChoice choice{graph(), *calibrator, none, format.range_kind(), worker_count(options.run)};
    Calibration calibration;
    for (const auto& [value, from] : carried) calibration.given[value] = from.range;
    add_constants(graph(), plan.quantized_values(), calibration.histograms);
    const std::set<ValueId> lacking = lacking_values();
    if (!lacking.empty()) measure_values(lacking, calibration, choice);
    ranges = choose_ranges(plan, calibration, choice);
    measured = lacking.size();
  }

 private:
  /// Makes the plan. Layers that are float in the file stay so, and count as excluded where the rules would quantize
  /// them; so do layers that stay float because of those. A repair of the repaired file then makes the same plan.
  void make_plan(const ValueShapes& shapes) {
    plan = make_placement_plan(graph(), target, placement, shapes);
    std::set<std::string> quantizable;
    for (const LayerDecision& layer : plan.layers)
      if (layer.is_quantized()) quantizable.insert(graph().node(layer.node).name);
    std::erase_if(facts.costly, [&](const auto& layer) { return !quantizable.contains(layer.first); });
    for (size_t before = 0;; before = facts.costly.size()) {
      if (facts.costly.size() == before) return;
      plan = make_placement_plan(graph(), target, placement, shapes, facts);
      for (const LayerDecision& layer : plan.layers) {
        const std::string& name = graph().node(layer.node).name;
        if (!layer.is_quantized() && quantizable.contains(name)) facts.costly.emplace(name, layer.reason);
      }
    }
  }

  [[nodiscard]] bool is_known(ValueId value) const {
    return carried.contains(value) || graph().value(value).is_constant ||
           std::ranges::count(plan.fixed_ranges, value, &FixedRange::value) > 0;
  }

  [[nodiscard]] std::set<ValueId> lacking_values() const {
    const auto has_scale = [&](ValueId value) { return carried.contains(value); };
    std::set<ValueId> lacking;
    for (const ValueId value : plan.quantized_values())
      if (!is_known(value)) lacking.insert(value);
    for (const std::vector<ValueId>& group : plan.scale_groups())
      if (std::ranges::any_of(group, has_scale))
        for (const ValueId value : group) lacking.erase(value);
    return lacking;
  }

  /// Measures values in the repaired graph with all pairs whose ranges are known.
  void measure_values(const std::set<ValueId>& lacking, Calibration& calibration, const RangeChoice& choice) {
    if (!source) {
      std::vector<std::string> names;
      for (const ValueId value : lacking) names.push_back("'" + graph().value(value).name + "'");
      throw Error(ErrorCode::InvalidOption,
                  plural(names.size(), "value") + " of " + target.spec() + "'s placement " +
                      (names.size() == 1 ? "has" : "have") + " no scale in the file: " + join(names, ", "),
                  "give --data to measure them");
    }
    PlacementPlan known = plan;
    for (EdgeDecision& edge : known.edges)
      if (lacking.contains(edge.value)) edge.pair = false, edge.scale_group = -1;
    std::erase_if(known.output_pairs, [&](const OutputPair& pair) { return lacking.contains(pair.value); });
    Model around = model.clone();
    apply_patch(around, make_qdq_patch(graph(), known, choose_ranges(known, calibration, choice), format).patch);
    std::vector<ValueId> watched;
    std::map<ValueId, ValueId> here;  // by the value in `graph`, the one in `around`
    for (const ValueId value : lacking) {
      const ValueId there = around.graph().find_value(graph().value(value).name);
      watched.push_back(there), here[value] = there;
    }
    const Calibration found = for_values(calibrate(around.graph(), watched, *source, options.run), here);
    calibration.histograms.insert(found.histograms.begin(), found.histograms.end());
    calibration.extremes = found.extremes;
    calibration.sample_names = found.sample_names;
  }
};

/// True when nothing has to change.
bool stands_right(const Repair& repair, const std::vector<RepairReport::Pair>& pairs) {
  const auto other_codes = [&](const QdqNode& node) {
    return node.role != QdqRole::Bias && node.role != QdqRole::Weight && node.codes != repair.format.activation.type;
  };
  const auto other_form = [&](const QdqNode& node) {  // TensorRT 8 wants float weights with a full pair
    return node.role == QdqRole::Weight && node.int8_constant && !repair.format.int8_weights;
  };
  return std::ranges::all_of(pairs, [](const auto& pair) { return pair.action == "kept"; }) &&
         repair.weights.anew.empty() && std::ranges::none_of(repair.trained.reading.nodes, other_codes) &&
         std::ranges::none_of(repair.trained.reading.nodes, other_form);
}

Model rewritten(Repair& repair) {
  Model model = std::move(repair.model);
  PromisedFile promised = promise_of(model.graph(), repair.plan);
  const Rewrite rewrite = make_qdq_patch(model.graph(), repair.plan, repair.ranges, repair.format);
  apply_patch(model, rewrite.patch);
  if (const GraphPatch casts = take_unread_casts(model.graph()); !casts.empty()) {
    apply_patch(model, casts);
    promised.rename({}, {casts.remove_nodes.begin(), casts.remove_nodes.end()});
  }
  check_qdq_file(model.graph(), repair.options.output, promised, {});
  return model;
}

/// Returns the provenance, which shows `lint` that layers are float on purpose.
Provenance origin_of_repair(const Repair& repair, const Model& written) {
  Provenance origin = read_provenance(written).value_or(Provenance{});
  if (origin.producer.empty()) origin.source_producer = facts_of(written).producer;
  origin.target = repair.target.spec(), origin.options = "repair";
  origin.float_layers.insert(repair.facts.costly.begin(), repair.facts.costly.end());
  return origin;
}

LintReport lint_of(const std::filesystem::path& file, const RepairOptions& options) {
  LintOptions lint;
  lint.model = file, lint.target = options.target, lint.run = options.run;
  return lint_model(lint);
}

size_t count_level(const LintReport& lint, std::string_view level) {
  return as_index(std::ranges::count(lint.findings, level, &LintReport::Finding::level));
}

void compare_with_before(RepairReport& report, const Model& before, const Model& after, const Repair& repair) {
  const DataSource& source = *repair.source;
  const ReferenceOutputs reference = keep_outputs(before, source, source.size(), repair.options.run);
  const ClosingError closing = measure_closing_error(reference, after, source, repair.options.run);
  report.error = closing.report;
  report.samples = repair.source->count();
  report.verdict = judge({.calibration_samples = report.samples, .closing = closing});
}

}  // namespace

RepairReport repair_model(const RepairOptions& options) {
  const StopScope stop(options.run.stop);
  const Stopwatch stopwatch;
  check_writable(options.output, options.overwrite);
  refuse_stray_options(options.data, nullptr, options.run);
  const Target& target = find_target(options.target);
  Model written = read_runnable_model(options.model);
  const size_t folded = fold_constants(written);  // scales that the file computes from weights
  refuse_others(written.graph(), read_qdq(written.graph()));
  RepairReport report;
  report.model = options.model.string(), report.output = options.output.string(), report.target = target.spec();

  // file -> float model and what its pairs say -> plan -> ranges
  Repair repair(options, target, written);
  repair.find_ranges();
  report.pairs = describe_pairs(
      {repair.graph(), repair.plan, repair.trained, repair.carried, repair.ranges, repair.format.int32_bias});
  report.weights_kept = repair.weights.kept, report.weights_anew = repair.weights.anew;
  report.measured = repair.measured;
  report.changed = folded > 0 || !stands_right(repair, report.pairs);

  // plan + ranges -> file -> lint, and the difference from the file before
  const LintReport before = lint_of(options.model, options);
  report.errors_before = count_level(before, "error"), report.warnings_before = count_level(before, "warning");
  Model model = report.changed ? rewritten(repair) : written.clone();
  if (report.changed) write_provenance(model, origin_of_repair(repair, written));
  if (repair.source) compare_with_before(report, written, model, repair);
  check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
  check_onnx_rules(model.graph(), options.output, facts_of(written).faults, *options.run.reporter);
  write_model(model, options.output, write_options(options.overwrite, options.external_data));
  report.lint = lint_of(options.output, options);
  report.bytes_before = written_bytes(options.model), report.bytes_after = written_bytes(options.output);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
