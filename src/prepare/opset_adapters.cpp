#include "prepare/opset_adapters.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/memory_limit.h"
#include "core/onnx_type.h"
#include "detent/base/error.h"
#include "model/name_source.h"

namespace detent {

namespace {

using Types = const ValueMap<DataType>&;

[[noreturn]] void no_adapter(const std::string& reason) { throw Error(ErrorCode::Unsupported, reason); }

/// Returns the element type of an input; FP32 for a missing or unknown one.
DataType type_of(const ValueMap<DataType>& types, MaybeValue id) {
  const DataType type = id ? types[*id] : DataType::Undefined;
  return type == DataType::Undefined ? DataType::Float32 : type;
}

bool is_read(const Graph& graph, MaybeValue id) {
  return id && (graph.value(*id).is_output || !graph.value(*id).uses.empty());
}

void add_input(const Graph& graph, const Node& node, int slot, const std::string& suffix, Tensor content,
               GraphPatch& patch) {
  // Split may leave out any output.
  const auto named = std::ranges::find_if(node.outputs, [](MaybeValue id) { return bool(id); });
  const std::string base = named == node.outputs.end() ? node.name : graph.value(**named).name;
  const std::string name = NameSource(graph).fresh(base + "_" + suffix);
  patch.add_initializers.emplace_back(name, std::move(content));
  patch.rewire.push_back({node.name, slot, name});
}

/// Moves a list attribute to an input. A node without the attribute means the same without the input.
void move_ints(const Graph& graph, const Node& node, const std::string& attribute, int slot, GraphPatch& patch) {
  if (!node.has(attribute)) return;
  const std::vector<int64_t> list = node.ints_or(attribute, {});
  add_input(graph, node, slot, attribute, Tensor::from<int64_t>(Shape{std::ssize(list)}, list), patch);
  patch.remove_attributes.emplace_back(node.name, attribute);
}

void move_axes(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  move_ints(graph, node, "axes", 1, patch);
}

void move_split(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  move_ints(graph, node, "split", 1, patch);
}

void slice_10(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  move_ints(graph, node, "starts", 1, patch);
  move_ints(graph, node, "ends", 2, patch);
  move_ints(graph, node, "axes", 3, patch);
}

void top_k_10(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  add_input(graph, node, 1, "k", Tensor::from<int64_t>(Shape{1}, {node.int_or("k", 1)}), patch);
  patch.remove_attributes.emplace_back(node.name, "k");
}

void clip_11(const Graph& graph, const Node& node, Types types, GraphPatch& patch) {
  const DataType type = type_of(types, node.input(0));
  int slot = 1;
  for (const char* bound : {"min", "max"}) {
    if (node.has(bound)) {
      add_input(graph, node, slot, bound, cast(Tensor::scalar(node.float_or(bound, 0)), type), patch);
      patch.remove_attributes.emplace_back(node.name, bound);
    }
    ++slot;
  }
}

void pad_11(const Graph& graph, const Node& node, Types types, GraphPatch& patch) {
  move_ints(graph, node, "pads", 1, patch);
  if (!node.has("value")) return;
  const Tensor fill = cast(Tensor::scalar(node.float_or("value", 0)), type_of(types, node.input(0)));
  if (node.string_or("mode", "constant") == "constant") add_input(graph, node, 2, "value", fill, patch);
  patch.remove_attributes.emplace_back(node.name, "value");
}

/// Gives the node another operator name.
void rename_operator(const Graph& graph, const Node& node, const std::string& op_type, GraphPatch& patch) {
  NodeSpec spec{op_type, node.name, {}, {}, node.attributes, node.domain};
  for (const MaybeValue id : node.inputs) spec.inputs.push_back(id ? graph.value(*id).name : "");
  for (const MaybeValue id : node.outputs) spec.outputs.push_back(id ? graph.value(*id).name : "");
  patch.remove_nodes.push_back(node.name);
  patch.add_nodes.push_back(std::move(spec));
}

void upsample_9(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  const std::vector<float> scales = node.floats_or("scales", {});
  add_input(graph, node, 1, "scales", Tensor::from<float>(Shape{std::ssize(scales)}, scales), patch);
  patch.remove_attributes.emplace_back(node.name, "scales");
}

void upsample_10(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  rename_operator(graph, node, "Resize", patch);
}

void scatter_11(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  rename_operator(graph, node, "ScatterElements", patch);
}

/// Returns how engines round in nearest-neighbour resizing of opset 10: down where a dimension grows, up where it
/// shrinks.
/// Source  ONNX Runtime, Upsample and Resize below opset 11; the ONNX specification leaves it open.
std::string nearest_mode_of(const Graph& graph, const Node& node) {
  const Tensor* scales = graph.constant(node.input(1));
  if (!scales || scales->type() != DataType::Float32) return "floor";
  const auto values = scales->data<float>();
  const bool shrinks = std::ranges::any_of(values, [](float scale) { return scale < 1; });
  const bool grows = std::ranges::any_of(values, [](float scale) { return scale > 1; });
  if (shrinks && grows && node.string_or("mode", "nearest") == "nearest")
    no_adapter("nearest resizing that grows one dimension and shrinks another");
  return shrinks ? "ceil" : "floor";
}

/// Adapts Resize: opset 10 maps coordinates by x / scale, without half pixels, and has no region of interest.
void resize_11(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  patch.set_attributes.push_back({node.name, {"coordinate_transformation_mode", std::string("asymmetric")}});
  patch.set_attributes.push_back({node.name, {"nearest_mode", nearest_mode_of(graph, node)}});
  patch.rewire.push_back({node.name, 2, graph.value(*node.inputs.at(1)).name});
  add_input(graph, node, 1, "roi", Tensor(DataType::Float32, Shape{0}), patch);
}

/// Returns the rank of a value as a declared shape or the nodes in front of it show it; nullopt where they do not.
/// Exporters leave out the shapes of scores, and Transposes of heads show them.
std::optional<int64_t> shown_rank(const Graph& graph, MaybeValue id, int steps = 10) {
  if (!id || steps == 0) return std::nullopt;
  if (const Tensor* constant = graph.constant(id)) return static_cast<int64_t>(constant->shape().rank());
  if (const auto& shape = graph.value(*id).declared_shape) return std::ssize(*shape);
  const Node* node = graph.producer(id);
  if (!node || !node->domain.empty()) return std::nullopt;
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, node->op_type) != names.end();
  };
  if (node->op_type == "Transpose" && node->has("perm")) return std::ssize(node->ints_or("perm", {}));
  if (is_one_of({"Cast", "Identity", "Dropout", "Neg", "Sqrt", "Clip", "Transpose"}))
    return shown_rank(graph, node->input(0), steps - 1);
  if (node->op_type == "Unsqueeze" && node->has("axes")) {
    const auto inner = shown_rank(graph, node->input(0), steps - 1);
    return inner ? std::optional(*inner + std::ssize(node->ints_or("axes", {}))) : std::nullopt;
  }
  const bool product = node->op_type == "MatMul";
  if (!product && !is_one_of({"Add", "Sub", "Mul", "Div", "Where"})) return std::nullopt;
  int64_t most = 0;
  for (const MaybeValue input : node->inputs) {
    const auto rank = shown_rank(graph, input, steps - 1);
    if (!rank || (product && *rank < 2)) return std::nullopt;
    most = std::max(most, *rank);
  }
  return most;
}

/// True when flattening to two dimensions at `axis` leaves only that axis to normalise over.
bool is_last_axis(const Graph& graph, const Node& node, int64_t axis) {
  if (axis == -1) return true;
  const auto rank = shown_rank(graph, node.inputs.at(0));
  return rank && axis == *rank - 1;
}

/// Adapts Softmax and its relatives: up to opset 12 the input is a matrix, cut at `axis` (default 1), whose rows are
/// normalised; from 13 on they normalise along `axis` (default -1). Flatten, the operator on rows, and a Reshape back
/// mean the same for every rank.
void softmax_13(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  const int64_t axis = node.int_or("axis", 1);
  patch.set_attributes.push_back({node.name, {"axis", int64_t{-1}}});
  if (is_last_axis(graph, node, axis)) return;
  const std::string input = graph.value(*node.inputs.at(0)).name, output = graph.value(*node.outputs.at(0)).name;
  NameSource names(graph);
  const std::string shape = names.fresh(output + "_shape");
  const std::string rows = names.fresh(output + "_rows_in"), result = names.fresh(output + "_rows");
  patch.add_nodes.push_back({"Shape", "", {input}, {shape}, {}, ""});
  patch.add_nodes.push_back({"Flatten", "", {input}, {rows}, {{"axis", axis}}, ""});
  patch.add_nodes.push_back({"Reshape", "", {result, shape}, {output}, {}, ""});
  patch.rewire.push_back({node.name, 0, rows});
  patch.rename_outputs.push_back({node.name, 0, result});
}

void batch_normalization_9(const Graph&, const Node& node, Types, GraphPatch& patch) {
  if (node.int_or("spatial", 1) == 0) no_adapter("spatial=0 was removed in opset 9");
  if (node.has("spatial")) patch.remove_attributes.emplace_back(node.name, "spatial");
}

void batch_normalization_14(const Graph& graph, const Node& node, Types, GraphPatch&) {
  constexpr size_t kOutputs = 3;  // five before
  for (size_t i = 1; i < node.outputs.size(); ++i)
    if (i >= kOutputs || is_read(graph, node.output(i))) no_adapter("its training outputs changed in opset 14");
}

void dropout_10(const Graph& graph, const Node& node, Types, GraphPatch&) {
  if (is_read(graph, node.output(1))) no_adapter("the type of its mask changed in opset 10");
}

/// Removes the ratio: in inference Dropout passes its input on, whatever the ratio.
void dropout_12(const Graph&, const Node& node, Types, GraphPatch& patch) {
  if (node.has("ratio")) patch.remove_attributes.emplace_back(node.name, "ratio");
}

/// Keeps the mode of RoiAlign, whose default became half_pixel.
void roi_align_16(const Graph&, const Node& node, Types, GraphPatch& patch) {
  patch.set_attributes.push_back({node.name, {"coordinate_transformation_mode", std::string("output_half_pixel")}});
}

/// Sets the number of parts of a Split without sizes, which was the number of outputs.
void split_18(const Graph&, const Node& node, Types, GraphPatch& patch) {
  if (!node.input(1)) patch.set_attributes.push_back({node.name, {"num_outputs", std::ssize(node.outputs)}});
}

/// Renames the mode of GridSample; the default is the same.
void grid_sample_20(const Graph&, const Node& node, Types, GraphPatch& patch) {
  const std::string mode = node.string_or("mode", "bilinear");
  if (mode == "nearest" || !node.has("mode")) return;
  patch.set_attributes.push_back({node.name, {"mode", std::string(mode == "bicubic" ? "cubic" : "linear")}});
}

/// Moves the axis of DFT to an input, and keeps its old default.
/// Casts INT32 data, which have no scale of their type that is a float any more.
void quantize_linear_19(const Graph& graph, const Node& node, Types types, GraphPatch& patch) {
  const MaybeValue data = node.input(0);
  if (type_of(types, data) != DataType::Int32) return;
  const std::string name = NameSource(graph).fresh(graph.value(*node.output(0)).name + "_float");
  const auto to = static_cast<int64_t>(onnx_type_of(DataType::Float32));
  patch.add_nodes.push_back({"Cast", name + "_Cast", {graph.value(*data).name}, {name}, {{"to", to}}, ""});
  patch.rewire.push_back({node.name, 0, name});
}

void dft_20(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  add_input(graph, node, 2, "axis", Tensor::from<int64_t>(Shape{}, {node.int_or("axis", 1)}), patch);
  if (node.has("axis")) patch.remove_attributes.emplace_back(node.name, "axis");
}

/// Repeats scale and bias, which have one number a channel instead of one a group.
void group_normalization_21(const Graph& graph, const Node& node, Types, GraphPatch& patch) {
  const auto& shape = graph.value(*node.inputs.at(0)).declared_shape;
  const int64_t groups = node.int_or("num_groups", 1);
  if (!shape || shape->size() < 2 || (*shape)[1] < 0) no_adapter("its number of channels is not declared");
  const int64_t channels = (*shape)[1];
  if (groups < 1) no_adapter("it has " + std::to_string(groups) + " groups");
  check_memory(static_cast<uint64_t>(std::min(channels, int64_t{1} << 56)) * sizeof(float),
               [&] { return "a scale of " + std::to_string(channels) + " channels"; });
  for (int slot = 1; slot <= 2; ++slot) {
    const Tensor* of_group = graph.constant(node.input(slot));
    if (!of_group || of_group->shape().element_count() != groups || channels % groups != 0)
      no_adapter("its scale or bias is not constant, or not one number a group");
    const Tensor numbers = cast(*of_group, DataType::Float32);
    std::vector<float> of_channel;
    for (const float number : numbers.data<float>())
      of_channel.insert(of_channel.end(), static_cast<size_t>(channels / groups), number);
    add_input(graph, node, slot, slot == 1 ? "scale" : "bias",
              cast(Tensor::from<float>(Shape{channels}, of_channel), of_group->type()), patch);
  }
}

void no_scan_8(const Graph&, const Node&, Types, GraphPatch&) {
  no_adapter("the batch axis of Scan was removed in opset 9");
}

constexpr OpsetChange kChanges[] = {
    {"BatchNormalization", 9, batch_normalization_9},
    {"Scan", 9, no_scan_8},
    {"Upsample", 9, upsample_9},
    {"Dropout", 10, dropout_10},
    {"Slice", 10, slice_10},
    {"TopK", 10, top_k_10},
    {"Upsample", 10, upsample_10},
    {"Clip", 11, clip_11},
    {"Pad", 11, pad_11},
    {"Resize", 11, resize_11},
    {"Scatter", 11, scatter_11},
    {"Dropout", 12, dropout_12},
    {"Hardmax", 13, softmax_13},
    {"LogSoftmax", 13, softmax_13},
    {"ReduceSum", 13, move_axes},
    {"Softmax", 13, softmax_13},
    {"Split", 13, move_split},
    {"Squeeze", 13, move_axes},
    {"Unsqueeze", 13, move_axes},
    {"BatchNormalization", 14, batch_normalization_14},
    {"RoiAlign", 16, roi_align_16},
    {"ReduceL1", 18, move_axes},
    {"ReduceL2", 18, move_axes},
    {"ReduceLogSum", 18, move_axes},
    {"ReduceLogSumExp", 18, move_axes},
    {"ReduceMax", 18, move_axes},
    {"ReduceMean", 18, move_axes},
    {"ReduceMin", 18, move_axes},
    {"ReduceProd", 18, move_axes},
    {"ReduceSumSquare", 18, move_axes},
    {"Split", 18, split_18},
    {"QuantizeLinear", 19, quantize_linear_19},
    {"DFT", 20, dft_20},
    {"GridSample", 20, grid_sample_20},
    {"GroupNormalization", 21, group_normalization_21},
};

/// Operators that changed in an opset.
struct Changed {
  int version;
  std::string_view operators;  // separated by spaces
};

/// Operators whose new version only adds types, defaults or outputs: old nodes keep their meaning.
constexpr Changed kHarmless[] = {
    {8, "Max MaxPool Mean Min Sum"},
    {9, "Cast Constant Flatten Gemm Greater Less MatMul PRelu"},
    {10, "AveragePool MaxPool"},
    {11,
     "ArgMax ArgMin AveragePool Compress Concat Constant Conv ConvTranspose DepthToSpace Equal Flatten "
     "Gather Gemm Hardmax If LogSoftmax Loop LpPool MaxPool MaxUnpool NonMaxSuppression OneHot ReduceL1 "
     "ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare Scan Slice Softmax Split Squeeze TopK Unsqueeze"},
    {12, "ArgMax ArgMin Clip Constant GatherND Max MaxPool Min Pow ReduceMax ReduceMin"},
    {13,
     "Abs Add ArgMax ArgMin Cast Ceil Clip Concat Constant DepthToSpace DequantizeLinear Div Dropout Equal "
     "Erf Exp Expand Flatten Floor Gather GatherElements GatherND Gemm Greater Identity If IsNaN LRN Less "
     "Log Loop MatMul Max Mean MeanVarianceNormalization Min Mod Mul Neg NegativeLogLikelihoodLoss NonZero "
     "Pad Pow QuantizeLinear Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
     "ReduceMean ReduceMin ReduceProd ReduceSumSquare Relu Reshape Resize ScatterElements ScatterND Shape "
     "Sigmoid Sign Size Slice SoftmaxCrossEntropyLoss SpaceToDepth Sqrt Sub Sum Tanh Tile Transpose"},
    {14, "Add CumSum Div GRU Identity LSTM Mul RNN Relu Reshape Sub"},
    {15, "BatchNormalization Pow Shape"},
    {16, "GreaterOrEqual Identity If LeakyRelu LessOrEqual Loop PRelu Scan ScatterElements ScatterND Where"},
};

/// Operators that changed in opsets below the first adapters.
constexpr Changed kUnadapted[] = {
    {2, "GlobalLpPool LpPool Pad Split"},
    {3, "GRU"},
    {4, "Concat"},
    {5, "Reshape"},
    {6,
     "Abs Add BatchNormalization Cast Ceil Clip Div Dropout Elu Exp Floor Gemm HardSigmoid InstanceNormalization "
     "LeakyRelu Log Max Mean Min Mul Neg PRelu Reciprocal Relu Selu Sigmoid Sqrt Sub Sum Tanh Tile"},
    {7,
     "Add And AveragePool BatchNormalization Div Dropout Equal GRU Gemm Greater LSTM Less Mul Or PRelu Pow RNN Sub "
     "Upsample Xor"},
};

bool contains_word(std::string_view text, std::string_view word) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    if (text.substr(start, end - start) == word) return true;
    start = end + 1;
  }
  return false;
}

bool is_listed(std::span<const Changed> list, std::string_view op_type, int version) {
  return std::ranges::any_of(list, [&](const Changed& changed) {
    return changed.version == version && contains_word(changed.operators, op_type);
  });
}

}  // namespace

OpsetChange find_opset_change(std::string_view op_type, int version) {
  for (const OpsetChange& change : kChanges)
    if (change.version == version && change.op_type == op_type) return change;
  if (is_listed(kHarmless, op_type, version)) return {op_type, version, nullptr};
  return {};
}

bool operator_changed_at(std::string_view op_type, int version) {
  if (version > kNewestListedOpset) return false;
  return !find_opset_change(op_type, version).op_type.empty() || is_listed(kUnadapted, op_type, version);
}

}  // namespace detent
