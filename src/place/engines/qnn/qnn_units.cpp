#include "place/engines/qnn/qnn_units.h"

#include <algorithm>
#include <set>

#include "core/onnx_type.h"
#include "ops/traits.h"
#include "place/draft/flow.h"

namespace detent {
namespace {

bool is_norm(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::BatchNorm:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm: return true;
    default: return node.op_type == "RMSNormalization";
  }
}

constexpr int kSequenceLengths = 4;

bool has_one_length(const Graph& graph, const Node& node) {
  const MaybeValue lengths = node.input(kSequenceLengths);
  if (!lengths) return true;
  const Tensor* constant = graph.constant(lengths);
  if (!constant) return false;
  const auto numbers = constant->data<int32_t>();
  return std::ranges::all_of(numbers, [&](int32_t length) { return length == numbers.front(); });
}

}  // namespace

std::string recurrent_obstacle(const Graph& graph, const Node& node) {
  if (node.op_type == "RNN") return "is an RNN; HTP has kernels of LSTM and GRU";
  if (node.int_or("layout", 0) != 0) return "has the batch in front (layout 1)";
  if (node.float_or("clip", 0) != 0) return "clips its gates";
  if (node.int_or("input_forget", 0) != 0) return "couples its gates (input_forget)";
  // The execution provider compares their names with "sigmoid" and "tanh", which ONNX writes with capitals.
  if (node.has("activations")) return "writes out its activations; HTP has the default ones, which need no attribute";
  if (!has_one_length(graph, node)) return "has sequences of different lengths";
  return "";
}

std::string missing_kernel(const GraphFacts& facts, const Node& node) {
  constexpr size_t kMostAxes = 5, kVolume = 3;
  if (!node.domain.empty()) return "";
  static const std::set<std::string> ends_session{"DFT",
                                                  "GroupNormalization",
                                                  "IsNaN",
                                                  "Mod",
                                                  "NegativeLogLikelihoodLoss",
                                                  "RoiAlign",
                                                  "RotaryEmbedding",
                                                  "STFT",
                                                  "Scatter",
                                                  "ScatterElements",
                                                  "ScatterND",
                                                  "Selu",
                                                  "SoftmaxCrossEntropyLoss",
                                                  "Swish",
                                                  "Tan",
                                                  "ThresholdedRelu"};
  const bool recurrent = is_recurrent(node) && recurrent_obstacle(facts.graph(), node).empty();
  const bool averages = node.op_type == "Mean" && node.inputs.size() > 1;  // of a plan without forms
  if (recurrent || averages || ends_session.contains(node.op_type))
    return "is taken, and then the whole session ends with error 1002 (asked on the emulator of QAIRT 2.51)";
  if (is_wrong_on_htp(node)) return "is summed by HTP in codes, without their zero point (-13 dB for 30)";
  static const std::set<std::string> in_floats{"Attention", "LpPool", "MaxRoiPool", "TopK"};
  if (in_floats.contains(node.op_type))
    return "has no INT8 kernel on HTP, which computes it in floats: what a Conv writes for it comes out 2 to 3 dB "
           "worse "
           "there";
  if (node.op_type == "Erf") return "has no kernel on HTP and runs on the CPU; a whole GELU has one";
  const Node* cast = node.op_type == "GatherND" ? facts.producer(node.input(0)) : nullptr;
  if (cast && cast->op_type == "Cast" && cast->int_or("to", 0) == onnx_type_of(DataType::Bool))
    return "has no kernel on HTP and runs on the CPU: it gathers booleans";
  if (node.op_type == "MaxPool" && node.ints_or("kernel_shape", {}).size() == kVolume)
    return "has no kernel on HTP and runs on the CPU: it pools over three axes";
  const auto is_deep = [&](ValueId value) { return facts.find_rank(value) > kMostAxes; };
  if (std::ranges::any_of(present(node.inputs), is_deep) || std::ranges::any_of(present(node.outputs), is_deep))
    return "has no kernel on HTP and runs on the CPU: a value has more than five axes";
  return "";
}

bool is_wrong_on_htp(const Node& node) { return node.domain.empty() && node.op_type == "CumSum"; }

bool reads_beside_units(const GraphFacts& facts, NodeId node) {
  return facts.kind(node) == OpKind::Cast || facts.kind(node) == OpKind::ShapeOf;
}

bool holds_graphs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

bool is_unit(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Constant:
    case OpKind::QuantizeLinear:
    case OpKind::DequantizeLinear:
    case OpKind::QOperator:
    case OpKind::Sequence: return false;
    default: break;
  }
  if (draft.is_out(node.id) || reads_beside_units(facts, node.id) || holds_graphs(node)) return false;
  if (is_recurrent(node) && !recurrent_obstacle(facts.graph(), node).empty()) return false;
  const auto is_data = [&](MaybeValue value) { return value && facts.is_float(value); };
  return std::ranges::any_of(present(node.inputs), is_data) || std::ranges::any_of(present(node.outputs), is_data);
}

bool has_one_encoding(const PlacementDraft& draft, NodeId node) {
  return commutes(draft.facts(), draft, node) || (draft.facts().kind(node) == OpKind::Resize && !draft.is_out(node));
}

std::vector<int> coded_constants(const GraphFacts& facts, const Node& node) {
  constexpr int kFactor = 1, kBias = 2;
  const auto is_number = [&](int slot) {
    const MaybeValue value = node.input(slot);
    return value && facts.is_float(value) && facts.graph().constant(value);
  };
  const bool norm = is_norm(facts, node);
  if (!(norm || facts.kind(node.id) == OpKind::PRelu) || !is_number(kFactor)) return {};
  return norm && is_number(kBias) ? std::vector{kFactor, kBias} : std::vector{kFactor};
}

}  // namespace detent
