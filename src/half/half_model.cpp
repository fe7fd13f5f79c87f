#include "half/half_model.h"

#include <algorithm>

#include "half/cut_masks.h"
#include "half/idle_casts.h"
#include "half/insert_casts.h"
#include "half/plan_float_types.h"
#include "model/graph_patch.h"

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
                                 exception.value == kNoValue ? std::string() : graph.value(exception.value).name,
                                 exception.measured, exception.reason});
  }
  return report;
}

}  // namespace

FloatFormat float_format(FloatType type) {
  if (type == FloatType::Fp32) throw Error(ErrorCode::Internal, "FP32 is no 16-bit float type");
  return float_format(type == FloatType::Fp16 ? DataType::Float16 : DataType::BFloat16);
}

FloatReport make_half(Model& model, const FloatFormat& format, const ValueReaches& reaches,
                      const ForcedFloat32& forced) {
  CutMasks masks = cut_masks(model.graph(), format, reaches);
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
