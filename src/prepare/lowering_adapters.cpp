#include "prepare/lowering_adapters.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/onnx_type.h"
#include "detent/base/error.h"
#include "model/name_source.h"

namespace detent {

namespace {

using Types = const ValueMap<DataType>&;

[[noreturn]] void no_form(const std::string& reason) { throw Error(ErrorCode::Unsupported, reason); }

NodeSpec spec_of(const Graph& graph, const Node& node) {
  NodeSpec spec{node.op_type, node.name, {}, {}, node.attributes, node.domain};
  for (const MaybeValue id : node.inputs) spec.inputs.push_back(id ? graph.value(*id).name : "");
  for (const MaybeValue id : node.outputs) spec.outputs.push_back(id ? graph.value(*id).name : "");
  return spec;
}

void replace(const Node& node, NodeSpec spec, GraphPatch& patch) {
  while (!spec.inputs.empty() && spec.inputs.back().empty()) spec.inputs.pop_back();
  patch.remove_nodes.push_back(node.name);
  patch.add_nodes.push_back(std::move(spec));
}

void drop_attribute(NodeSpec& spec, std::string_view name) {
  std::erase_if(spec.attributes, [&](const Attribute& attribute) { return attribute.name == name; });
}

std::string add_list(const Graph& graph, const Node& node, const std::string& word, std::vector<int64_t> list,
                     GraphPatch& patch) {
  const std::string name = NameSource(graph).fresh(node.name + "_" + word);
  patch.add_initializers.emplace_back(name, Tensor::from<int64_t>(Shape{std::ssize(list)}, list));
  return name;
}

/// Returns the integers of a constant input. Errors  refuses one that is computed.
std::vector<int64_t> constant_list(const Graph& graph, const Node& node, size_t slot, const std::string& word) {
  const Tensor* tensor = graph.constant(node.input(slot));
  if (!tensor) no_form("its " + word + " are not constant");
  const Tensor wide = cast(*tensor, DataType::Int64);
  const auto numbers = wide.data<int64_t>();
  return {numbers.begin(), numbers.end()};
}

const std::optional<std::vector<int64_t>>& shape_of_input(const Graph& graph, const Node& node) {
  static const std::optional<std::vector<int64_t>> unknown;
  return node.input(0) ? graph.value(*node.input(0)).declared_shape : unknown;
}

void axes_to_attribute(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  NodeSpec spec = spec_of(graph, node);
  const std::vector<int64_t> axes = node.input(1) ? constant_list(graph, node, 1, "axes") : std::vector<int64_t>();
  if (axes.empty() && node.int_or("noop_with_empty_axes", 0) != 0) no_form("it reduces no axis");
  drop_attribute(spec, "noop_with_empty_axes");
  if (!axes.empty()) spec.attributes.push_back({"axes", axes});
  spec.inputs.resize(std::min<size_t>(spec.inputs.size(), 1));
  replace(node, std::move(spec), patch);
}

/// Writes the sizes of the parts, which only a Split into equal parts could leave out.
void lower_split(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  if (!node.has("num_outputs")) return;
  NodeSpec spec = spec_of(graph, node);
  drop_attribute(spec, "num_outputs");
  const auto& shape = shape_of_input(graph, node);
  const int64_t axis = node.int_or("axis", 0), parts = std::ssize(node.outputs);
  const int64_t place = shape && axis < 0 ? axis + std::ssize(*shape) : axis;
  const int64_t extent = shape && place >= 0 && place < std::ssize(*shape) ? (*shape)[static_cast<size_t>(place)] : -1;
  if (node.int_or("num_outputs", parts) != parts || parts == 0 || extent < 0)
    no_form("its parts may differ: the model declares no extent of the axis");
  if (!node.input(1) && extent % parts != 0) {
    const int64_t part = (extent + parts - 1) / parts;
    std::vector<int64_t> sizes(static_cast<size_t>(parts), part);
    sizes.back() = extent - part * (parts - 1);
    if (sizes.back() < 0) no_form("it has more parts than elements");
    spec.inputs.resize(2);
    spec.inputs[1] = add_list(graph, node, "split", sizes, patch);
  }
  replace(node, std::move(spec), patch);
}

/// Writes pads of all axes, which were not to be chosen.
void lower_pad(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  if (!node.input(3)) return;
  const auto& shape = shape_of_input(graph, node);
  if (!shape) no_form("the rank of its input is not declared");
  const std::vector<int64_t> axes = constant_list(graph, node, 3, "axes");
  const std::vector<int64_t> pads = constant_list(graph, node, 1, "pads");
  const size_t rank = shape->size();
  if (pads.size() != 2 * axes.size()) no_form("its pads do not fit its axes");
  std::vector<int64_t> all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t place = axes[i] < 0 ? axes[i] + static_cast<int64_t>(rank) : axes[i];
    if (place < 0 || place >= static_cast<int64_t>(rank)) no_form("its axes do not fit its input");
    all[static_cast<size_t>(place)] = pads[i];
    all[static_cast<size_t>(place) + rank] = pads[i + axes.size()];
  }
  NodeSpec spec = spec_of(graph, node);
  spec.inputs[1] = add_list(graph, node, "pads", all, patch);
  spec.inputs.resize(3);
  replace(node, std::move(spec), patch);
}

void lower_resize(const Graph&, const Node& node, Types, GraphPatch&) {
  if (node.string_or("coordinate_transformation_mode", "") == "half_pixel_symmetric")
    no_form("its coordinates, half_pixel_symmetric, came with that opset");
}

void lower_dft(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  NodeSpec spec = spec_of(graph, node);
  const auto& shape = shape_of_input(graph, node);
  if (!shape) no_form("the rank of its input is not declared");
  const std::vector<int64_t> axes = node.input(2) ? constant_list(graph, node, 2, "axes") : std::vector<int64_t>{-2};
  if (axes.size() != 1) no_form("its axis is no number");
  const int64_t axis = axes.front() < 0 ? axes.front() + std::ssize(*shape) : axes.front();
  if (axis < 0) no_form("its axis does not fit its input");
  spec.attributes.push_back({"axis", axis});
  spec.inputs.resize(std::min<size_t>(spec.inputs.size(), 2));
  replace(node, std::move(spec), patch);
}

void lower_grid_sample(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  constexpr size_t kImages = 4;
  if (const auto& shape = shape_of_input(graph, node); !shape || shape->size() != kImages)
    no_form("its input is not declared to have four axes");
  const std::string mode = node.string_or("mode", "linear");
  if (mode == "nearest" || !node.has("mode")) return;
  patch.set_attributes.push_back({node.name, {"mode", std::string(mode == "cubic" ? "bicubic" : "bilinear")}});
}

/// Gives a QuantizeLinear that names the type of its codes the zero point of that type.
void lower_quantize_linear(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  if (node.int_or("block_size", 0) != 0) no_form("blocks of codes came with that opset");
  const auto type = static_cast<int>(node.int_or("output_dtype", 0));
  NodeSpec spec = spec_of(graph, node);
  drop_attribute(spec, "output_dtype");
  drop_attribute(spec, "block_size");
  if (type != 0 && !node.input(2)) {
    const Tensor* scale = graph.constant(node.input(1));
    if (!scale || data_type_from_onnx(type) == DataType::Undefined)
      no_form("it has no zero point, and its scale is not constant");
    const std::string name = NameSource(graph).fresh(node.name + "_zero_point");
    const std::vector<float> zeros(static_cast<size_t>(scale->element_count()), 0);
    patch.add_initializers.emplace_back(name,
                                        cast(Tensor::from<float>(scale->shape(), zeros), data_type_from_onnx(type)));
    spec.inputs.resize(3);
    spec.inputs[2] = name;
  }
  replace(node, std::move(spec), patch);
}

/// Drops the type of the values where it is that of the scale.
void lower_dequantize_linear(const Graph&, const Node& node, Types types, GraphPatch& patch) {
  const auto type = node.int_or("output_dtype", 0);
  if (!node.has("output_dtype")) return;
  if (type != 0 && (!node.input(1) || onnx_type_of(types[*node.input(1)]) != type))
    no_form("its values have another type than its scale");
  patch.remove_attributes.emplace_back(node.name, "output_dtype");
}

void unchanged(const Graph&, const Node&, Types, GraphPatch&) {}

constexpr OpsetChange kLowerings[] = {
    {"ReduceL1", 18, axes_to_attribute},
    {"ReduceL2", 18, axes_to_attribute},
    {"ReduceLogSum", 18, axes_to_attribute},
    {"ReduceLogSumExp", 18, axes_to_attribute},
    {"ReduceMax", 18, axes_to_attribute},
    {"ReduceMean", 18, axes_to_attribute},
    {"ReduceMin", 18, axes_to_attribute},
    {"ReduceProd", 18, axes_to_attribute},
    {"ReduceSumSquare", 18, axes_to_attribute},
    {"Split", 18, lower_split},
    {"Pad", 18, lower_pad},
    {"Resize", 19, lower_resize},
    {"QuantizeLinear", 19, unchanged},  // types alone, which find_graph_faults() compares
    {"DFT", 20, lower_dft},
    {"GridSample", 20, lower_grid_sample},
    {"QuantizeLinear", 21, lower_quantize_linear},
    {"DequantizeLinear", 23, lower_dequantize_linear},
};

/// An attribute that came late, and its neutral value: 0 or 1 (of a list: 1 throughout), or a word.
struct Neutral {
  std::string_view op_type, attribute;
  int64_t number = 0;
  std::string_view word = {};
};

constexpr Neutral kNeutral[] = {
    {"ArgMax", "select_last_index"},
    {"ArgMin", "select_last_index"},
    {"AveragePool", "dilations", 1},
    {"Cast", "saturate", 1},
    {"Cast", "round_mode", 0, "up"},
    {"CastLike", "saturate", 1},
    {"CastLike", "round_mode", 0, "up"},
    {"DequantizeLinear", "block_size"},
    {"LpPool", "ceil_mode"},
    {"LpPool", "dilations", 1},
    {"QuantizeLinear", "precision"},
    {"QuantizeLinear", "saturate", 1},
    {"Resize", "antialias"},
    {"Resize", "keep_aspect_ratio_policy", 0, "stretch"},
};

}  // namespace

OpsetChange find_lowering(std::string_view op_type, int version) {
  for (const OpsetChange& change : kLowerings)
    if (change.version == version && change.op_type == op_type) return change;
  return {};
}

bool is_neutral(const Node& node, const Attribute& attribute) {
  const auto found = std::ranges::find_if(
      kNeutral, [&](const Neutral& one) { return one.op_type == node.op_type && one.attribute == attribute.name; });
  if (found == std::end(kNeutral)) return false;
  if (const auto* number = std::get_if<int64_t>(&attribute.value))
    return found->word.empty() && *number == found->number;
  if (const auto* word = std::get_if<std::string>(&attribute.value))
    return !found->word.empty() && *word == found->word;
  const auto* list = std::get_if<std::vector<int64_t>>(&attribute.value);
  return list && std::ranges::all_of(*list, [&](int64_t number) { return number == found->number; });
}

}  // namespace detent
