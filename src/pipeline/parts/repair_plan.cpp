#include "pipeline/parts/repair_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "calibrate/apart_values.h"
#include "core/float_type.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "exec/runnable_part.h"
#include "lint/reading/odd_pairs.h"
#include "lint/view/lint_view.h"
#include "model/graph_patch.h"
#include "ops/traits.h"
#include "ops/weight_pairs.h"
#include "pipeline/parts/first_shapes.h"
#include "pipeline/parts/provenance.h"
#include "prepare/prepare_model.h"
#include "repair/weights_on_grid.h"
#include "rewrite/format_options.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/weight_quantizer.h"
#include "run/open_samples.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Reads the pairs of a file.
/// Errors  InvalidModel for a file that repair cannot write anew; Unsupported where all pairs stand in bodies.
QdqReading read_pairs(const Graph& graph) {
  check_scales_of_codes(graph);  // the range of an activation can be measured, a float weight has its own
  QdqReading reading = read_qdq(graph);
  const auto refuse = [](const std::string& why, const std::string& hint) {
    throw Error(ErrorCode::InvalidModel, "repair needs a file with pairs, but " + why, hint);
  };
  const std::string inside = reading.nodes.empty() ? pair_in_body(graph) : "";
  if (!inside.empty())
    throw Error(ErrorCode::Unsupported, inside + ": repair does not move pairs in bodies",
                "'detent lint' checks them; 'detent quantize' places pairs in the main graph of "
                "the float model");
  if (reading.nodes.empty()) refuse("this one has none", "'detent quantize' quantizes a float model");
  if (!reading.computed.empty())
    throw Error(
        ErrorCode::Unsupported,
        fmt::format("node '{}' ({}) computes with the codes of a QuantizeLinear: repair carries scales of whole pairs",
                    reading.computed.front().node, reading.computed.front().op),
        "let it compute with floats, in front of the pair or behind it");
  if (std::ranges::all_of(reading.nodes, &QdqNode::is_weight_alone))
    refuse("this one has weights alone: their layers compute in float, so no pair can stand on a wrong edge",
           "'detent lint' checks such a file");
  return reading;
}

/// True when training rounded the weight of a layer whose data come through a pair, and the exporter folded the
/// weight's pair into the constant.
bool has_folded_pair(const LintView& view, const Node& layer) {
  const Tensor* weight = view.graph().constant(layer.input(view.facts().weight_slot(layer.id)));
  if (!weight || !view.is_quantized(layer.id, view.data_slot(layer.id))) return false;
  return scales_of_grid(*weight, view.facts().weight_axis(layer)).has_value();
}

/// True when a layer reads its data through a pair whose scale cannot be one: it is meant to be INT8.
bool reads_unusable_pair(const TrainedPairs& trained, const LintView& view, const Node& layer) {
  const MaybeValue data = layer.input(view.data_slot(layer.id));
  return data && trained.unusable.contains(view.graph().value(*data).name);
}

/// Returns the layers that the file leaves float, with the reason for the plan.
/// measures  data are there: a layer whose weight alone has a pair, among others that are INT8, gets one on its data.
///           Not a MatMul, whose weight is often stored as INT8 alone on purpose. All layers get one where the engine
///           runs none in float.
MeasuredFacts float_layers(const TrainedPairs& trained, const Target& target, const Graph& written, const Graph& graph,
                           bool measures) {
  const ValueShapes none;
  const LintedFile file(written);
  const LintView view(trained.model.graph(), trained.reading, target, none, file);
  const auto lacks_data = [&](const Node& layer) {
    return measures && !trained.values.empty() && layer.op_type != "MatMul" &&
           trained.weights.contains({layer.name, view.facts().weight_slot(layer.id)});
  };
  MeasuredFacts facts;
  if (measures && target.engine.whole_graph) return facts;
  for (const Node& node : view.graph().nodes())
    if (view.facts().is_weighted(node.id) && !view.is_meant_int8(node.id) && !has_folded_pair(view, node) &&
        !reads_unusable_pair(trained, view, node) && !lacks_data(node) && graph.find_node(node.name))
      facts.costly.emplace(node.name, "float in the file");
  return facts;
}

/// True when a node reads the slot through a pair, in front of it or of the copies that write the value.
bool reads_codes(const TrainedPairs& trained, const Node& node, int slot) {
  if (trained.read.contains({node.name, slot})) return true;
  const Node* copy = trained.model.graph().producer(node.input(slot));
  if (!copy || !traits_of(trained.model.graph(), *copy).commutes) return false;
  const size_t inputs = copy->op_type == "Concat" ? copy->inputs.size() : 1;
  for (size_t i = 0; i < inputs; ++i)
    if (!reads_codes(trained, *copy, static_cast<int>(i))) return false;
  return true;
}

/// True when the file quantizes a product of two activations.
bool quantizes_products(const TrainedPairs& trained) {
  return std::ranges::any_of(trained.model.graph().nodes(), [&](const Node& node) {
    return node.op_type == "MatMul" && reads_codes(trained, node, 0) && reads_codes(trained, node, 1);
  });
}

/// Returns the 16-bit type of the file's activations, if most have it and the target takes it; nullopt otherwise: the
/// target's type.
std::optional<DataType> kept_activation(const QdqReading& reading, const Target& target) {
  if (reading.type() != CodeType::A16W8) return std::nullopt;
  const auto wide = std::ranges::find_if(reading.nodes, [](const QdqNode& node) { return is_wide(node); });
  return target.find_activation(wide->codes) ? std::optional(wide->codes) : std::nullopt;
}

/// Returns the values with codes of 16 bits in a file where most have 8, if the target takes them beside `activation`.
std::vector<std::string> kept_wide_values(const TrainedPairs& trained, DataType activation, const Target& target) {
  std::vector<std::string> names;
  const CodeFormat& format = code_format(activation);
  if (trained.reading.type() != CodeType::Int8 || format.bits != 8 || !target.find_activation(format.wide))
    return names;
  for (const auto& [name, grid] : trained.values)
    if (is_wide(*grid)) names.push_back(name);
  return names;
}

/// Returns the weights whose codes can saturate on some CPUs of the target. As UINT8 with zero point 128 they stand for
/// the same numbers and cannot. A ConvTranspose keeps its codes: with zero point 128 OpenVINO runs it in float.
std::set<std::string> saturating_weights(const Graph& graph, const PlacementPlan& plan, const CarriedWeights& carried,
                                         bool taps_apart) {
  std::set<std::string> names;
  for (const WeightDecision& weight : plan.weights) {
    const Tensor* tensor = graph.constant(weight.value);
    const std::string& name = graph.value(weight.value).name;
    const auto scales = carried.scales.find(name);
    const Node& layer = graph.node(weight.node);
    if (!tensor || scales == carried.scales.end() || traits_of(graph, layer).kind == OpKind::ConvTranspose) continue;
    const PairOrder order = weight_pairs(graph, layer, weight.slot, tensor->shape(), taps_apart);
    if (order.kind == PairOrder::Kind::None) continue;
    const QuantizedWeight quantized = quantize_weight(*tensor, weight.axis, {.given_scale = scales->second});
    if (count_unsafe_pairs(quantized.codes, order).pairs > 0) names.insert(name);
  }
  return names;
}

/// Returns the options that the file records for this target; the defaults where it records none.
RecordedOptions options_recorded_for(const Target& target, const Model& written) {
  const auto origin = read_provenance(written);
  return origin && origin->target == target.spec() ? recorded_options(origin->options) : RecordedOptions{};
}

bool pairs_write_outputs(const Target& target, const Model& written) {
  return target.engine.pairs_in_front_suffice || target.engine.closes_outputs ||
         options_recorded_for(target, written).placement.quantize_outputs;
}

}  // namespace

RepairPlan::RepairPlan(const RepairOptions& given, const SampleRequest& data, const Target& engine,
                       const Model& written)
    : options(given), target(engine),
      trained(written, read_pairs(written.graph()), pairs_write_outputs(engine, written)),
      model(trained.model.clone()) {
  if (data.given()) source = std::make_unique<IdentifiedSamples>(open_samples(data, written));
  choose_options(written);
  PrepareOptions preparation = prepare_options(placement, FloatType::Fp32, format.activation.type);
  preparation.attention = preparation.forms = false;  // scales of pairs belong to the values that the file has
  prepare_model(model, target, preparation);
  facts = float_layers(trained, target, written.graph(), graph(), source != nullptr);
  const ValueShapes shapes = first_shapes(graph(), source.get(), given.run);
  do {
    make_plan(shapes);
    carry();
  } while (leaves_unreached_float());
  if (facts.apart = values_apart(graph(), plan, given_ranges()); !facts.apart.empty()) {
    make_plan(shapes);
    carry();
  }
  weights = carry_weights(
      graph(), plan, trained,
      {format.weight_type(), format.per_tensor_weights, format.narrow_weights, format.uint8_single_scales});
  format.weight_scales = weights.scales, format.weight_points = weights.points;
  if (format.saturation != RewriteOptions::Saturation::None)
    format.uint8_weights = saturating_weights(graph(), plan, weights, target.pairs_taps_apart);
}

/// Chooses the options of the plan and of the file: those that the file records for this target, and what its pairs
/// show.
void RepairPlan::choose_options(const Model& written) {
  using Scales = PlacementOptions::Scales;
  const CodeType codes = trained.reading.type() == CodeType::Fp8 ? CodeType::Fp8 : CodeType::Int8;
  RecordedOptions recorded = options_recorded_for(target, written);
  if (recorded.placement.type != codes) recorded = {};
  static_cast<PlacementOptions&>(placement) = recorded.placement;
  placement.type = codes;
  placement.small_layers = PlacementOptions::SmallLayers::Quantize;  // the file quantizes them on purpose
  if (quantizes_products(trained))
    placement.attention = codes == CodeType::Fp8 ? PlacementOptions::Attention::Fp8 : PlacementOptions::Attention::Int8;
  const auto half_scale = [](const QdqNode& node) { return is_half(node.scale_type); };
  if (!target.engine.kernels_with_half_scales && std::ranges::none_of(trained.reading.nodes, half_scale))
    placement.scales = Scales::Fp32;
  FormatOptions wanted = recorded.format;
  wanted.dynamic = false;
  if (const auto wide = kept_activation(trained.reading, target)) wanted.activation = wide;
  placement.wide_values = kept_wide_values(trained, wanted.activation.value_or(target.activation->type), target);
  format = rewrite_options(wanted, placement, target);
  format.weight_bits = 8;
  placement = placement_with(format, placement, target);
}

std::set<std::string> RepairPlan::constant_weights() const {
  std::set<std::string> names;
  for (const WeightDecision& weight : plan.weights) {
    const Slot slot{graph().node(weight.node).name, weight.slot};
    const auto name = trained.read.find(slot);
    if (trained.constants.contains(slot) && name != trained.read.end()) names.insert(name->second);
  }
  return names;
}

void RepairPlan::find_ranges() {
  const auto calibrator = make_calibrator("mse");
  const RangeOverrides none;
  const RangeChoice choice{graph(), *calibrator, none, format.range_kind(), worker_count(options.run)};
  Calibration calibration = given_ranges();
  add_constants(graph(), plan.quantized_values(), calibration.histograms);
  const std::set<ValueId> lacking = lacking_values();
  if (!lacking.empty()) measure_values(lacking, calibration, choice);
  // choose_ranges() joins the ranges of a group, where one is given.
  for (const ValueId value : values_below_ranges(graph(), plan, carried)) {
    MergedStatistics alone;
    alone.include(calibration.histograms.at(value), {});
    calibration.given[value] = alone.view(nullptr).choice_of(*calibrator, choice.kind);
  }
  ranges = choose_ranges(plan, calibration, choice);
  measured = lacking.size();
}

/// Makes the plan. Layers that are float in the file stay so, and count as excluded where the rules would quantize
/// them; so do layers that stay float because of those. A repair of the repaired file then makes the same plan.
void RepairPlan::make_plan(const ValueShapes& shapes) {
  plan = make_placement_plan(graph(), target, placement, shapes, {.apart = facts.apart});
  std::set<std::string> quantizable;
  for (const LayerDecision& layer : plan.layers)
    if (layer.is_quantized()) quantizable.insert(graph().node(layer.node).name);
  std::erase_if(facts.costly, [&](const auto& layer) { return !quantizable.contains(layer.first); });
  for (size_t before = facts.unreached.empty() ? 0 : std::string::npos;; before = facts.costly.size()) {
    if (facts.costly.size() == before) return;
    plan = make_placement_plan(graph(), target, placement, shapes, facts);
    for (const LayerDecision& layer : plan.layers) {
      const std::string& name = graph().node(layer.node).name;
      if (!layer.is_quantized() && quantizable.contains(name)) facts.costly.emplace(name, layer.reason);
    }
  }
}

/// Finds planned values that have no scale in the file and that no sample reaches: the plan has to leave what reads or
/// makes them float. Returns false where there are none.
bool RepairPlan::leaves_unreached_float() {
  const std::set<ValueId> lacking = lacking_values();
  const size_t before = facts.unreached.size();
  facts.unreached.merge(
      unreached_values(graph(), [&](const std::string& name) { return !lacking.contains(*graph().find_value(name)); }));
  return facts.unreached.size() > before;
}

void RepairPlan::carry() { carried = carry_ranges(graph(), plan, trained, format.range_kind()); }

Calibration RepairPlan::given_ranges() const {
  Calibration calibration;
  for (const auto& [value, from] : carried) calibration.given[value] = from.range;
  return calibration;
}

bool RepairPlan::is_known(ValueId value) const {
  return carried.contains(value) || graph().value(value).is_constant || plan.about(value).fixed;
}

std::set<ValueId> RepairPlan::lacking_values() const {
  const auto has_scale = [&](ValueId value) { return carried.contains(value); };
  const std::set<ValueId> below = values_below_ranges(graph(), plan, carried);
  std::set<ValueId> lacking;
  for (const ValueId value : plan.quantized_values())
    if (!is_known(value)) lacking.insert(value);
  for (const std::vector<ValueId>& group : plan.scale_groups())
    if (std::ranges::any_of(group, has_scale))
      for (const ValueId value : group)
        if (!below.contains(value)) lacking.erase(value);
  return lacking;
}

/// Measures values in the repaired graph with all pairs whose ranges are known.
void RepairPlan::measure_values(const std::set<ValueId>& lacking, Calibration& calibration, const RangeChoice& choice) {
  if (!source) {
    std::vector<std::string> names;
    for (const ValueId value : lacking) names.push_back("'" + graph().value(value).name + "'");
    throw Error(ErrorCode::InvalidOption,
                plural(names.size(), "value") + " of " + target.spec() + "'s placement " +
                    (names.size() == 1 ? "has" : "have") + " no scale in the file: " + join(names, ", "),
                "give --data to measure them");
  }
  PlacementPlan known = plan;
  known.take_pairs([&](ValueId value) { return lacking.contains(value); });
  Model around = model.clone();
  apply_patch(around, make_qdq_patch(graph(), known, choose_ranges(known, calibration, choice), format).patch);
  std::vector<ValueId> watched;
  std::map<ValueId, ValueId> here;  // by the value in `graph`, the one in `around`
  for (const ValueId value : lacking) {
    const ValueId there = *around.graph().find_value(graph().value(value).name);
    watched.push_back(there), here[value] = there;
  }
  const Calibration found = for_values(calibrate(around.graph(), watched, *source, options.run), here);
  calibration.histograms.insert(found.histograms.begin(), found.histograms.end());
  calibration.extremes = found.extremes;
  calibration.sample_names = found.sample_names;
}

}  // namespace detent
