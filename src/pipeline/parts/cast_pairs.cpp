#include "pipeline/parts/cast_pairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "half/half_model.h"
#include "half/pair_bounds.h"
#include "half/pair_scales.h"
#include "lint/lint_graph.h"
#include "model/graph_patch.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "ops/value_types.h"
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

/// Returns the model without its pairs. A Cast replaces a pair that reads FP32 and gives a 16-bit type.
Model without_pairs(const Model& model, const QdqReading& reading) {
  Model floats = model.clone();
  if (!reading.float_patch.empty()) apply_patch(floats, reading.float_patch);
  const ValueMap<DataType> types = value_types(model.graph());
  const Graph &file = model.graph(), &graph = floats.graph();
  const auto type_at = [&](int node, bool output) {
    const Node& found = file.node(*file.find_node(reading.nodes[static_cast<size_t>(node)].name));
    return types[output ? *found.output(0) : *found.input(0)];
  };
  GraphPatch patch;
  patch.reason = "stand for pairs that change the type";
  NameSource names(graph);
  std::map<ValueId, std::string> cast;
  for (const QuantizedOperand& operand : reading.operands) {
    if (operand.quantize < 0 || operand.dequantize < 0) continue;
    const DataType type = type_at(operand.dequantize, true);
    const MaybeNode reader = graph.find_node(operand.node);
    if (!reader || !is_half(type) || type_at(operand.quantize, false) != DataType::Float32) continue;
    const ValueId value = *graph.node(*reader).input(operand.slot);
    const auto [entry, added] = cast.try_emplace(value);
    if (added) {
      entry->second = names.fresh(graph.value(value).name + "_cast");
      patch.add_nodes.push_back({"Cast",
                                 names.fresh(entry->second + "_Cast"),
                                 {graph.value(value).name},
                                 {entry->second},
                                 {{"to", static_cast<int64_t>(onnx_type_of(type))}},
                                 ""});
    }
    patch.rewire.push_back({operand.node, operand.slot, entry->second});
  }
  if (!patch.empty()) apply_patch(floats, patch);
  return floats;
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
  const Model floats = without_pairs(model, reading);
  const ValueShapes found = renamed(shapes, model.graph(), floats.graph());
  const LintedGraph linted =
      lint_graph(floats.graph(), reading, target_of_codes(model.graph()), found, LintedFile(model.graph()));
  return describe_coverage(linted.plan.coverage);
}

}  // namespace detent
