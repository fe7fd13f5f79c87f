#include "lint/engines/onnxruntime/onnxruntime_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_type.h"
#include "lint/engines/onnxruntime/onnxruntime_flow.h"
#include "ops/clip_bounds.h"
#include "ops/merged_pad.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"

namespace detent {
namespace {

int64_t zero_point(const QdqNode& node) { return node.zero_points.empty() ? 0 : node.zero_points.front(); }

// Returns the real values of the lowest and the highest code.
Range range_of(const QdqNode& node) {
  const CodeRange codes = code_range(node.codes);
  const auto real = [&](int32_t code) {
    return static_cast<float>(static_cast<double>(code - zero_point(node)) * static_cast<double>(node.scales.at(0)));
  };
  return {real(codes.lowest), real(codes.highest)};
}

bool is_8_bit(const QdqNode& node) { return node.codes == DataType::Int8 || node.codes == DataType::UInt8; }

bool has_range(const QdqNode& node) { return is_8_bit(node) && node.scales.size() == 1; }

// Scales per channel are no obstacle to operators without weights: the engine makes their integer kernels whatever the
// scales, and refuses the model afterwards.
enum class Scales : uint8_t { One, Any };

std::string trouble_of(const PairView& view, const QuantizedOperand& pair, const std::string& whose,
                       Scales scales = Scales::One) {
  const QdqNode& grid = view.grid(pair);
  if (pair.dequantize < 0) return whose + " has no DequantizeLinear";
  if (pair.cast) return whose + " has a Cast between its QuantizeLinear and its DequantizeLinear";
  if (!grid.scale_constant) return whose + " has a scale that is computed at run time";
  if (!is_8_bit(grid)) return whose + " is of type " + std::string(name_of(grid.codes));
  if (grid.per_channel() && scales == Scales::One) return whose + " has a scale for each channel";
  if (is_half(grid.scale_type)) return whose + " has a 16-bit scale";
  return "";
}

// Returns the code of the bound as QuantizeLinear computes it; the lowest or highest code for a bound beyond.
int32_t code_of(float bound, const QdqNode& grid) {
  return quantize_element(bound, grid.scales.front(), static_cast<int32_t>(zero_point(grid)), code_range(grid.codes));
}

// Returns why a Relu or Clip is not absorbed by the pair behind it; empty when it is. The engine compares codes: bounds
// that round to the lowest and the highest code cut nothing.
std::string kept_activation(const PairView& view, NodeId activation, const QdqNode& grid) {
  const std::string what = view.facts().describe(activation);
  if (!has_range(grid)) return "the pair behind " + what + " is not an 8-bit pair with one scale";
  const CodeRange codes = code_range(grid.codes);
  if (view.facts().kind(activation) == OpKind::Relu)
    return zero_point(grid) == codes.lowest
               ? ""
               : "the zero point behind " + what + " is " + std::to_string(zero_point(grid)) +
                     ": a Relu is absorbed only if the lowest code is 0";
  const auto bounds = clip_bounds(view.graph(), view.node(activation));
  if (!bounds) return "the bounds of " + what + " are computed at run time";
  if (code_of(bounds->low(), grid) == codes.lowest && code_of(bounds->high(), grid) == codes.highest) return "";
  return "the pair behind " + what + " represents values that it cuts";
}

// Returns why the engine does not remove a Relu or Clip that counts as absorbed; empty when it does. Another pass
// removes them, which compares real numbers and needs a written zero point.
std::string kept_although_absorbed(const PairView& view, NodeId activation, const QdqNode& grid) {
  if (!grid.has_zero_point) return "the QuantizeLinear has no zero point";
  if (view.facts().kind(activation) == OpKind::Relu) return "";
  const auto bounds = clip_bounds(view.graph(), view.node(activation));
  const Range range = range_of(grid);
  constexpr float kTaken = std::numeric_limits<float>::epsilon();  // tried: 2^-23, whatever the size of the bound
  const bool inside = bounds && bounds->low() - range.min <= kTaken && range.max - bounds->high() <= kTaken;
  return inside ? "" : "the range of the pair ends beyond the bounds by less than half a step";
}

// The pair behind the output of a kernel, possibly with an absorbed activation between.
struct Closing {
  DataType codes = DataType::Undefined;  ///< as the kernel reads them
  std::string obstacle;                  ///< why there is none; empty when there is one
  const QuantizedOperand* pair = nullptr;
};

Closing find_closing(const PairView& view, ValueId own, Scales scales = Scales::One) {
  const auto use = sole_use(view.graph(), own);
  const bool activated = use && !view.operand(use->node, use->slot) &&
                         (view.facts().kind(use->node) == OpKind::Relu || view.facts().kind(use->node) == OpKind::Clip);
  const ValueId last = activated ? *view.node(use->node).output(0) : own;
  const std::string& name = view.value(last).name;
  const auto closing = closing_pairs(view, last);
  if (closing.empty())
    return {DataType::Undefined, view.value(last).is_output
                                     ? "its output '" + name + "' is a graph output without a pair"
                                     : "its output '" + name + "' is not read through a single pair"};
  std::string trouble = trouble_of(view, *closing.front(), "the pair behind it", scales);
  if (trouble.empty() && activated) trouble = kept_activation(view, use->node, view.grid(*closing.front()));
  const auto& uses = view.value(last).uses;
  const bool behind_copies = std::ranges::none_of(uses, [&](const Use& reader) {
    return reader.slot >= 0 && view.operand(reader.node, reader.slot) == closing.front();
  });
  return {engine_codes(view, *closing.front(), behind_copies ? PairPlace::BeyondCopies : PairPlace::AtKernel), trouble,
          closing.front()};
}

constexpr std::string_view kShared = " is INT8 and has several readers";

std::string conv_obstacle(const PairView& view, const Node& conv, DataType input) {
  if (bias_scale_error(view, conv.id)) return "the scale of its bias is not input scale * weight scale";
  const Closing closing = find_closing(view, *conv.output(0));
  if (!closing.obstacle.empty()) return closing.obstacle;
  if (input == DataType::Int8) return "the pair of its input" + std::string(kShared);
  if (closing.codes == DataType::Int8) return "the pair behind it" + std::string(kShared);
  return "";
}

// True for a Relu or Clip that the engine removes before the only pair behind it.
bool vanishes(const PairView& view, NodeId node) {
  const OpKind kind = view.facts().kind(node);
  if (kind != OpKind::Relu && kind != OpKind::Clip) return false;
  const ValueId last = *view.node(node).output(0);
  if (view.value(last).is_output) return false;
  const auto pairs = view.pairs_on(last);
  if (pairs.empty() || pairs.front()->quantize < 0 || engine_readers(view, last) != 1) return false;
  const QdqNode& grid = view.qdq(pairs.front()->quantize);
  return kept_activation(view, node, grid).empty() && kept_although_absorbed(view, node, grid).empty();
}

bool is_quantized_somewhere(const PairView& view, ValueId value) {
  return std::ranges::any_of(view.value(value).uses, [&](const Use& use) {
    return use.slot >= 0 && (view.operand(use.node, use.slot) || vanishes(view, use.node));
  });
}

// True when a Relu or Clip is the only reader of the value and has one reader: the engine then looks for a pair behind
// it.
bool is_activated(const PairView& view, ValueId value) {
  const auto& uses = view.value(value).uses;  // also of a graph output
  if (uses.size() != 1 || uses.front().slot != 0 || view.operand(uses.front().node, 0)) return false;
  const OpKind kind = view.facts().kind(uses.front().node);
  if (kind != OpKind::Relu && kind != OpKind::Clip) return false;
  const ValueId last = *view.node(uses.front().node).output(0);
  return !view.value(last).is_output && engine_readers(view, last) == 1;
}

// Returns why an integer product cannot end here; empty when it can: it writes floats if nothing quantizes them, or the
// codes of a pair that all readers read. Behind a Reshape it writes floats to that, whatever reads them.
std::string end_of_product(const PairView& view, ValueId output, DataType input, OpKind kernel, bool reshaped) {
  const Closing closing = find_closing(view, output);
  if (!closing.obstacle.empty())
    return !reshaped && (is_quantized_somewhere(view, output) || is_activated(view, output)) ? closing.obstacle : "";
  if (kernel == OpKind::Gemm && !reshaped && closing.codes != input)
    return "the pairs on its input and its output are of different types";
  return kernel != OpKind::Gemm && closing.codes == DataType::Int8 ? "the pair behind it" + std::string(kShared) : "";
}

std::string obstacle_of_bias(const PairView& view, const Node& product, const ProductBias& bias) {
  if (product.float_or("alpha", 1.0F) != 1.0F || product.float_or("beta", 1.0F) != 1.0F)
    return "an integer Gemm with bias needs alpha = beta = 1";
  if (const QuantizedOperand* codes = view.operand(bias.node, bias.slot))
    return view.grid(*codes).codes == DataType::Int32
               ? ""
               : "its bias is of type " + std::string(name_of(view.grid(*codes).codes)) + ", not INT32";
  std::string kept = bias.node == product.id
                         ? "a Gemm with a float bias stays float"
                         : "it becomes a Gemm with the Add behind it, whose float bias keeps it float";
  if (bias.rank != 1) return kept;
  const std::string open = find_closing(view, bias.output).obstacle;
  return open.empty() ? "" : kept + " without a pair behind it: " + open;
}

std::string product_obstacle(const PairView& view, const Node& product, DataType input) {
  const auto bias = product_bias(view, product.id);
  const OpKind kernel = bias ? OpKind::Gemm : view.facts().kind(product.id);
  if (bias)
    if (std::string reason = obstacle_of_bias(view, product, *bias); !reason.empty()) return reason;
  if (kernel != OpKind::Gemm && input == DataType::Int8) return "the pair of its input" + std::string(kShared);
  return end_of_product(view, bias ? bias->output : *product.output(0), input, kernel, bias && bias->reshaped);
}

// Returns the pairs of the node's float inputs; none when one has no 8-bit pair of the type of the pair behind it.
std::vector<const QuantizedOperand*> pairs_read(const PairView& view, const Node& node, DataType codes) {
  std::vector<const QuantizedOperand*> pairs;
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    if (!node.inputs[slot] || !view.facts().is_float(node.inputs[slot])) continue;
    const int at = static_cast<int>(slot);
    const QuantizedOperand* pair = pair_in_front(view, node.id, at);
    const PairPlace place = view.operand(node.id, at) ? PairPlace::AtKernel : PairPlace::BeyondCopies;
    if (!pair || !trouble_of(view, *pair, "", Scales::Any).empty() || engine_codes(view, *pair, place) != codes)
      return {};
    pairs.push_back(pair);
  }
  return pairs;
}

// Returns the value that an integer kernel of the node would write if the pair behind its activation closed it;
// kNoValue when the engine makes none.
MaybeValue integer_output(const PairView& view, const Node& node) {
  if (view.facts().is_weighted(node.id)) {
    if (!onnxruntime_obstacle(view, node.id).empty()) return kNoValue;
    const auto bias = product_bias(view, node.id);
    return bias ? bias->output : node.output(0);
  }
  if (!node.output(0) || !has_integer_kernel(view.facts().kind(node.id))) return kNoValue;
  const Closing closing = find_closing(view, *node.output(0), Scales::Any);
  return closing.obstacle.empty() && !pairs_read(view, node, closing.codes).empty() ? node.output(0) : kNoValue;
}

// True for operators whose integer kernels take scalars only; QLinearConcat, QGemm ... also take the shape [1].
bool needs_scalars(OpKind kind) { return kind == OpKind::Add || kind == OpKind::Mul || kind == OpKind::AveragePool; }

}  // namespace

std::optional<RefusedActivation> refused_activation(const PairView& view, const Node& node) {
  const MaybeValue own = integer_output(view, node);
  const auto use = !own ? std::nullopt : sole_use(view.graph(), own);
  if (!use || use->slot != 0 || view.operand(use->node, 0)) return std::nullopt;
  const OpKind kind = view.facts().kind(use->node);
  const MaybeValue last = view.node(use->node).output(0);
  if ((kind != OpKind::Relu && kind != OpKind::Clip) || engine_readers(view, last) != 1) return std::nullopt;
  const auto pairs = view.pairs_on(last);
  if (pairs.empty() || pairs.front()->quantize < 0) return std::nullopt;
  const QdqNode& grid = view.qdq(pairs.front()->quantize);
  if (!kept_activation(view, use->node, grid).empty()) return std::nullopt;
  std::string why = kept_although_absorbed(view, use->node, grid);
  return why.empty() ? std::nullopt : std::optional(RefusedActivation{use->node, std::move(why)});
}

std::optional<ScalarKernel> scalar_kernel(const PairView& view, const Node& node) {
  if (!needs_scalars(view.facts().kind(node.id)) || !node.output(0)) return std::nullopt;
  const Closing closing = find_closing(view, *node.output(0), Scales::Any);
  if (!closing.obstacle.empty()) return std::nullopt;
  std::vector<const QuantizedOperand*> read = pairs_read(view, node, closing.codes);
  if (read.empty()) return std::nullopt;
  return ScalarKernel{std::move(read), closing.pair};
}

std::optional<double> bias_scale_error(const PairView& view, NodeId layer) {
  const auto added = product_bias(view, layer);
  const QuantizedOperand* bias = added ? view.operand(added->node, added->slot) : view.bias(layer);
  const QuantizedOperand* weight = view.weight(layer);
  const QuantizedOperand* input = input_pair(view, layer);
  if (!bias || !weight || !input || weight->dequantize < 0 || input->dequantize < 0 || bias->dequantize < 0)
    return std::nullopt;
  const std::vector<float>& of_bias = view.grid(*bias).scales;
  const std::vector<float>& of_weight = view.grid(*weight).scales;
  const std::vector<float>& of_input = view.grid(*input).scales;
  if (of_bias.empty() || of_weight.empty() || of_input.size() != 1) return std::nullopt;
  double worst = 0;
  for (size_t i = 0; i < std::max(of_bias.size(), of_weight.size()); ++i) {
    const double expected = static_cast<double>(of_input[0]) * static_cast<double>(of_weight[i % of_weight.size()]);
    const double distance = std::abs(static_cast<double>(of_bias[i % of_bias.size()]) - expected);
    if (!(distance <= 1e-6 + 0.01 * std::abs(expected))) worst = std::max(worst, distance / std::abs(expected));
  }
  return worst > 0 ? std::optional(worst) : std::nullopt;
}

std::string onnxruntime_obstacle(const PairView& view, NodeId layer) {
  const Node& node = view.node(layer);
  const OpKind kind = view.facts().kind(layer);
  if (kind == OpKind::ConvTranspose) return "ONNX Runtime has no integer ConvTranspose";
  const QuantizedOperand* input = input_pair(view, layer);
  const QuantizedOperand* weight = view.weight(layer);
  if (!input && !weight) return "neither its input nor its weight carries a pair";
  if (!input) return "its input '" + view.value(*view.facts().data_input(layer)).name + "' carries no pair";
  if (!weight) return "its weight carries no pair";
  if (std::string trouble = trouble_of(view, *input, "the pair of its input"); !trouble.empty()) return trouble;
  if (weight->dequantize < 0) return "its weight has no DequantizeLinear";
  if (view.facts().weight_slot(layer) == 0 && view.grid(*weight).codes == DataType::Int8)
    return "its constant is the left operand, where ONNX Runtime takes UINT8 only";
  if (!is_8_bit(view.grid(*weight)) || !view.grid(*weight).scale_constant)
    return "its weight is not on a constant 8-bit grid";
  const auto bias = product_bias(view, layer);
  const bool own =
      view.operand(layer, view.data_slot(layer)) && !(bias && bias->reshaped);  // otherwise a Reshape stands between
  const bool padded = !own && kind == OpKind::Conv && merged_pad(view.graph(), node);
  const DataType codes = engine_codes(view, *input, own || padded ? PairPlace::AtKernel : PairPlace::BeyondCopies);
  return kind == OpKind::Conv ? conv_obstacle(view, node, codes) : product_obstacle(view, node, codes);
}

}  // namespace detent
