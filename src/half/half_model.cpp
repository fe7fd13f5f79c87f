#include "half/half_model.h"

#include <algorithm>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "half/cut_masks.h"
#include "half/insert_casts.h"
#include "half/pair_bounds.h"
#include "half/plan_float_types.h"
#include "model/graph_patch.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {

namespace {

FloatReport report_of(const Graph& graph, const FloatPlan& plan, size_t casts) {
  FloatReport report;
  report.type = name_of(plan.format.type);
  report.half_nodes = static_cast<size_t>(std::ranges::count(plan.types, plan.format.type));
  report.float32_nodes = static_cast<size_t>(std::ranges::count(plan.types, DataType::Float32));
  report.casts = casts;
  for (const FloatException& exception : plan.exceptions) {
    const Node& node = graph.node(exception.node);
    report.exceptions.push_back({node.name, node.op_type, std::string(exception.rule),
                                 exception.value ? graph.value(*exception.value).name : std::string(),
                                 exception.measured, exception.reason});
  }
  return report;
}

/// Removes the Casts from a 16-bit float type to the same one, as Casts of the file become when their input turns
/// 16-bit. Each costs a kernel, and ONNX Runtime 1.30 refuses a model that has one where it inserts a Cast. A Cast that
/// writes a graph output, or that If, Loop and Scan bodies read, becomes Identity.
/// Empty  no such Cast -> an empty patch.
GraphPatch take_idle_casts(const Graph& graph) {
  const ValueMap<DataType> types = value_types(graph);
  const auto is_idle = [&](const Node& node) {
    if (traits_of(graph, node).kind != OpKind::Cast) return false;
    const DataType type = types[*node.input(0)];
    return is_half(type) && node.int_or("to", 0) == onnx_type_of(type);
  };
  const auto in_body = [](const Use& use) { return use.slot < 0; };
  // By output of an idle Cast: the value that the first idle Cast of its chain reads.
  ValueMap<MaybeValue> first(graph.values().size());
  GraphPatch patch;
  patch.reason = "take out the casts that change nothing";
  for (const Node& node : graph.nodes()) {
    if (!is_idle(node)) continue;
    const ValueId read = *node.input(0);
    const ValueId kept = first[read] ? *first[read] : read;
    const Value& made = graph.value(*node.output(0));
    first[made.id] = kept;
    const std::string& source = graph.value(kept).name;
    patch.remove_nodes.push_back(node.name);
    if (made.is_output || std::ranges::any_of(made.uses, in_body))
      patch.add_nodes.push_back({"Identity", node.name, {source}, {made.name}, {}, ""});
    for (const Use& use : made.uses)
      if (use.slot >= 0) patch.rewire.push_back({graph.node(use.node).name, use.slot, source});
  }
  return patch;
}

}  // namespace

FloatFormat float_format(FloatType type) {
  if (type == FloatType::Fp32) throw Error(ErrorCode::Internal, "FP32 is no 16-bit float type");
  return float_format(type == FloatType::Fp16 ? DataType::Float16 : DataType::BFloat16);
}

FloatReport make_half(Model& model, const FloatFormat& format, const ValueReaches& reaches,
                      const ForcedFloat32& forced) {
  CutMasks masks = cut_masks(model.graph(), format, with_unreached(model.graph(), reaches));
  if (!masks.constants.empty()) apply_patch(model, masks.patch);
  const FloatPlan plan = plan_float_types(model.graph(), format, masks.reaches, forced);
  const CastPatch casts = insert_casts(model.graph(), plan, masks.reaches);
  FloatReport report = report_of(model.graph(), plan, casts.casts);
  report.cut_masks = std::move(masks.constants);
  apply_patch(model, casts.patch);
  if (const GraphPatch idle = take_idle_casts(model.graph()); !idle.empty()) apply_patch(model, idle);
  return report;
}

}  // namespace detent
