#include "pipeline/parts/cast_pairs.h"

#include <algorithm>
#include <set>

#include "half/half_model.h"
#include "half/pair_bounds.h"
#include "half/pair_scales.h"
#include "lint/lint_graph.h"
#include "model/graph_patch.h"
#include "ops/traits.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/renamed_shapes.h"
#include "prepare/fold_constants.h"
#include "prepare/plain_nodes.h"
#include "prepare/prepare_model.h"

namespace detent {

namespace {

size_t count_of(const Graph& graph, OpKind kind) {
  return static_cast<size_t>(
      std::ranges::count_if(graph.nodes(), [&](const Node& node) { return traits_of(graph, node).kind == kind; }));
}

/// Raises the opset as 16-bit scales need it; returns false, with a warning, where that is not possible.
bool raises_for_pairs(FloatType type, Model& model, Reporter& reporter) {
  try {
    raise_for(type, model, true);
    return true;
  } catch (const Error& error) {
    if (type != FloatType::Fp16 || error.code() != ErrorCode::Unsupported) throw;
    reporter.warn(std::string("FP16 scales need opset 19; pairs keep FP32 scales between Casts: ") + error.what());
    return false;
  }
}

}  // namespace

bool has_pairs(const Graph& graph) {
  return count_of(graph, OpKind::QuantizeLinear) + count_of(graph, OpKind::DequantizeLinear) > 0;
}

KeptPairs prepare_pairs(Model& model, FloatType type, FloatFormat& format, Reporter& reporter) {
  if (format.half_scales)
    format.half_scales = raises_for_pairs(type, model, reporter);
  else
    raise_for(type, model);
  forward_constants(model);
  const size_t quantizers = count_of(model.graph(), OpKind::QuantizeLinear);
  fold_constants(model, true);
  RoundedScales scales = round_scales(model.graph(), format);
  scales.pairs.scale_type = format.half_scales ? name_of(format.type) : "float32";
  scales.pairs.stored_codes = quantizers - count_of(model.graph(), OpKind::QuantizeLinear);
  if (!scales.patch.empty()) apply_patch(model, scales.patch);
  return scales.pairs;
}

void count_pairs(const Graph& graph, KeptPairs& pairs) {
  pairs.quantizers = count_of(graph, OpKind::QuantizeLinear);
  pairs.dequantizers = count_of(graph, OpKind::DequantizeLinear);
  pairs.code_constants = static_cast<size_t>(std::ranges::count_if(graph.values(), [&](const Value& value) {
    return value.is_constant && std::ranges::any_of(value.uses, [&](const Use& use) {
             return use.slot == 0 && traits_of(graph, graph.node(use.node)).kind == OpKind::DequantizeLinear;
           });
  }));
}

FloatReport cast_by_bounds(Model& model, const FloatFormat& format, const ValueShapes& shapes,
                           const ForcedFloat32& forced) {
  FloatReport report = make_half(model, format, bound_reaches(model.graph(), shapes), forced);
  report.values_measured = false;
  report.values_bounded = true;
  return report;
}

const Target& target_of_codes(const Graph& graph) {
  std::set<DataType> codes;
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::QuantizeLinear) continue;
    const QdqNode pair = describe_qdq(graph, node);
    // Engines that take INT8 codes around another zero point than 0 take UINT8, too.
    const bool shifted =
        pair.codes == DataType::Int8 && std::ranges::any_of(pair.zero_points, [](int64_t point) { return point != 0; });
    codes.insert(shifted ? DataType::UInt8 : pair.codes);
  }
  // Some engine takes any codes; codes that none does are no sign of one.
  std::erase_if(codes, [](DataType type) {
    return std::ranges::none_of(target_list(), [&](const Target& target) { return target.find_activation(type); });
  });
  const auto takes_all = [&](const Target& target) {
    return std::ranges::all_of(codes, [&](DataType type) { return target.find_activation(type); });
  };
  const auto found = std::ranges::find_if(target_list(), takes_all);
  return found == target_list().end() ? default_target() : *found;
}

CoverageReport coverage_of_pairs(const Model& model, const ValueShapes& shapes) {
  const QdqReading reading = read_qdq(model.graph());
  Model floats = model.clone();
  if (!reading.float_patch.empty()) apply_patch(floats, reading.float_patch);
  const ValueShapes found = renamed(shapes, model.graph(), floats.graph());
  const LintedGraph linted =
      lint_graph(floats.graph(), reading, target_of_codes(model.graph()), found, LintedFile(model.graph()));
  return linted.plan.coverage;
}

}  // namespace detent
