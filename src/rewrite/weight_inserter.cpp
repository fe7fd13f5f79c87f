#include "rewrite/weight_inserter.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/files/mapped_file.h"
#include "core/index.h"
#include "core/text.h"
#include "ops/traits.h"
#include "ops/weight_pairs.h"
#include "rewrite/bias_quantizer.h"
#include "rewrite/dynamic_lstm.h"
#include "rewrite/dynamic_product.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

namespace {

/// A quantized weight: one copy for all nodes of the same operator that read the constant along the same axis.
struct Copy {
  std::vector<const WeightDecision*> readers;
  std::vector<float> least_scales, zero_scales;  ///< needed by the readers' biases; empty: none
  std::string dequantized;                       ///< with a pair
  DynamicProduct::Weight alone;                  ///< without
  QParams qparams;
};

/// Inserts the codes of weights and INT32 biases.
class WeightInserter {
 public:
  explicit WeightInserter(RewriteContext& context) : context_(context) {}

  void run() {
    for (const WeightDecision& weight : context_.plan.weights) copies_[key_of(weight)].readers.push_back(&weight);
    if (context_.options.int32_bias)
      for (auto& [key, copy] : copies_)
        for (const WeightDecision* reader : copy.readers) require_scales(*reader, copy);
    DynamicProduct products(context_);
    DynamicLstms lstms(context_);
    // The order of the plan: files do not depend on how copies are sorted.
    for (const WeightDecision& weight : context_.plan.weights) {
      Copy& copy = copies_.at(key_of(weight));
      if (copy.readers.front() == &weight) write(weight, copy);
      if (weight.dynamic && is_recurrent(node_of(weight)))
        lstms.write(weight, copy.alone);
      else if (weight.dynamic)
        products.write(weight, copy.alone);
      else
        context_.writer.read(weight.node, weight.slot, copy.dequantized);
    }
    if (!context_.options.int32_bias) return;
    for (const WeightDecision& weight : context_.plan.weights)
      if (!weight.dynamic) insert_bias(weight);
    if (half_biases_ > 0)
      warn(plural(half_biases_, "bias of an FP16 layer stays", "biases of FP16 layers stay") +
           " FP16: the product of two scales may exceed the range of FP16");
  }

 private:
  using Key = std::tuple<ValueId, int, std::string, bool, bool>;  // constant, axis, operator, dynamic, turned

  struct Bias {
    Use use;  ///< where it is read: the operator's slot, or the Add behind a MatMul
    MaybeValue value;
    Tensor content;  ///< one number a channel
    float input_scale = 0;
  };

  void warn(std::string sentence) { context_.result.warnings.push_back(std::move(sentence)); }
  [[nodiscard]] const Node& node_of(const WeightDecision& weight) const { return context_.graph.node(weight.node); }
  [[nodiscard]] int axis_of(const WeightDecision& weight) const {
    if (context_.options.per_tensor_weights) return -1;
    return is_recurrent(node_of(weight)) ? 0 : weight.axis;  // rows of a matrix
  }
  [[nodiscard]] Key key_of(const WeightDecision& weight) const {
    return {weight.value, axis_of(weight), node_of(weight).op_type, weight.dynamic, is_turned(weight)};
  }

  /// True for a Gemm's weight whose rows are output columns.
  [[nodiscard]] bool is_turned(const WeightDecision& weight) const {
    return node_of(weight).op_type == "Gemm" && node_of(weight).int_or("transB", 0) != 0;
  }

  [[nodiscard]] Tensor tensor_of(const WeightDecision& weight) const {
    const Tensor* tensor = context_.graph.constant(weight.value);
    if (tensor) return is_recurrent(node_of(weight)) ? lstm_rows(*tensor) : *tensor;
    throw Error(ErrorCode::Internal, "the weight '" + context_.name(weight.value) + "' in the plan is not constant");
  }

  /// Returns the number of scales of a weight.
  [[nodiscard]] size_t channels_of(const WeightDecision& weight) const {
    const int axis = axis_of(weight);
    return axis < 0 ? 1 : static_cast<size_t>(tensor_of(weight).shape()[as_index(axis)]);
  }

  void write(const WeightDecision& decision, Copy& copy) {
    const Tensor weight = tensor_of(decision);
    const RewriteOptions& options = context_.options;
    WeightOptions how{.type = options.weight_type(),
                      .bits = options.weight_bits,
                      .narrow = options.narrow_weights,
                      .range = options.weight_range,
                      .scale_type = context_.scale_type(decision.value),
                      .least_scale = copy.least_scales,
                      .zero_scale = copy.zero_scales};
    const std::string& wish = context_.name(decision.value);
    if (const auto given = options.weight_scales.find(wish);
        given != options.weight_scales.end() && given->second.size() == channels_of(decision))
      how.given_scale = given->second;
    const bool one_scale = options.uint8_single_scales && axis_of(decision) < 0 && how.type == DataType::Int8;
    const auto point = options.weight_points.find(wish);
    if (one_scale && (how.given_scale.empty() || point != options.weight_points.end())) how.type = DataType::UInt8;
    if (point != options.weight_points.end()) how.given_point = point->second;
    // A given scale without a zero point belongs to symmetric codes, which are shifted.
    const bool is_uint8 = (one_scale || options.uint8_weights.contains(wish)) && how.type == DataType::Int8;
    const PairOrder order = is_uint8 ? PairOrder{} : pairs_of(copy);
    const bool paired = order.kind != PairOrder::Kind::None;
    if (options.saturation == RewriteOptions::Saturation::Avoided) how.safe_pairs = order;
    // A weight that cannot saturate keeps 8 bits.
    if (options.saturation != RewriteOptions::Saturation::None && !paired) how.bits = 8;
    // The error of the codes is all there is: nothing rounds what they multiply.
    if (how.type == DataType::Int8 && std::ranges::all_of(copy.readers, [&](const WeightDecision* reader) {
          return !reader->dynamic && !input_qparams(*reader);
        }))
      how.range = WeightRange::Mse;
    // The engine cuts a float weight to 8 bits: narrower codes then hold only when nothing is cut.
    if (!options.int8_weights && how.bits < 8) how.range = WeightRange::Max;
    try {
      const int axis = axis_of(decision);
      QuantizedWeight quantized =
          context_.memo ? context_.memo->get(decision.value, weight, axis, how) : quantize_weight(weight, axis, how);
      let_go_of_pages(weight.raw(), weight.byte_count());
      if (paired) count_pairs(quantized, how.safe_pairs, order);
      if (is_uint8) make_uint8(quantized);
      if (options.off_middle && how.type == DataType::Int8 && !is_uint8) lower_codes(quantized);
      copy.qparams = quantized.qparams;
      if (decision.dynamic && is_recurrent(node_of(decision))) {
        copy.alone = DynamicLstms::add_weight(context_.writer, wish, quantized,
                                              context_.graph.constant(decision.value)->shape());
        return;
      }
      if (decision.dynamic) {
        copy.alone = DynamicProduct::add_weight(context_.writer, wish, std::move(quantized), is_turned(decision));
        return;
      }
      const PairWriter::Grid grid = context_.writer.add_grid(wish, quantized.qparams, how.scale_type);
      const std::string codes =
          options.int8_weights
              ? context_.writer.add_constant(wish + "_quantized", shared_by_models(std::move(quantized.codes)))
              : context_.writer.add_quantize(wish, wish, grid, weight.type());
      copy.dequantized = context_.writer.fresh(wish + "_dequantized");
      context_.writer.add_dequantize(wish, codes, copy.dequantized, grid, weight.type());
      if (quantized.raised > 0)
        warn("weight '" + wish + "' of node '" + node_of(decision).name + "': the scale of " +
             std::to_string(quantized.raised) + " of " + plural(copy.qparams.scale.size(), "channel") +
             " was raised so that the INT32 bias fits " +
             (context_.type_of(decision.value) == DataType::Float16 ? "FP16, in which the engine computes it"
                                                                    : "32 bits"));
    } catch (const Error& error) {
      throw error.in("weight '" + context_.name(decision.value) + "' of node '" + node_of(decision).name + "'");
    }
  }

  /// Returns the order in which a reader of UINT8 activations multiplies weights in pairs. Depthwise readers of the
  /// same weight need none. Readers between 16-bit floats need it: OpenVINO runs them in INT8, and ONNX Runtime a
  /// MatMul whose Casts it removes.
  [[nodiscard]] PairOrder pairs_of(const Copy& copy) const {
    if (context_.options.saturation == RewriteOptions::Saturation::None) return {};
    for (const WeightDecision* reader : copy.readers) {
      if (is_recurrent(node_of(*reader))) return {PairOrder::Kind::Matrix, 0};
      const PairOrder order = weight_pairs(context_.graph, node_of(*reader), reader->slot, tensor_of(*reader).shape(),
                                           context_.options.pairs_taps_apart);
      if (order.kind != PairOrder::Kind::None && has_8_bit_input(*reader)) return order;
    }
    return {};
  }

  static void make_uint8(QuantizedWeight& quantized) {
    constexpr int32_t kMiddle = 128;
    Tensor codes(DataType::UInt8, quantized.codes.shape());
    std::ranges::transform(quantized.codes.data<int8_t>(), codes.mutable_data<uint8_t>().begin(),
                           [](int8_t code) { return static_cast<uint8_t>(code + kMiddle); });
    quantized.codes = std::move(codes);
    quantized.qparams.type = DataType::UInt8;
    std::ranges::fill(quantized.qparams.zero_point, kMiddle);
  }

  /// Writes codes from -128 to 126 around -1 for those from -127 to 127. The memo shares the given ones.
  static void lower_codes(QuantizedWeight& quantized) {
    Tensor codes(DataType::Int8, quantized.codes.shape());
    std::ranges::transform(quantized.codes.data<int8_t>(), codes.mutable_data<int8_t>().begin(),
                           [](int8_t code) { return static_cast<int8_t>(std::max(code - 1, -128)); });
    quantized.codes = std::move(codes);
    std::ranges::fill(quantized.qparams.zero_point, -1);
  }

  void count_pairs(const QuantizedWeight& quantized, const PairOrder& made_safe, const PairOrder& order) {
    PairedWeights& paired = context_.result.paired;
    const size_t channels = quantized.qparams.scale.size();
    ++paired.layers;
    paired.channels += channels;
    paired.raised += quantized.made_safe;
    paired.factors += made_safe.kind == PairOrder::Kind::None ? static_cast<double>(channels) : quantized.safe_factors;
    const int64_t unsafe = count_unsafe_pairs(quantized.codes, order).pairs;
    paired.unsafe_pairs += unsafe;
    paired.unsafe_layers += unsafe > 0;
  }

  /// Finds the bias of a node. Returns why it cannot be INT32; empty when it can.
  std::string find_bias(const WeightDecision& decision, Bias& bias) const {
    const Node& node = node_of(decision);
    bias.use = decision.bias ? *decision.bias : Use{decision.node, traits_of(context_.graph, node).bias_slot};
    if (bias.use.slot >= 0) bias.value = context_.graph.node(bias.use.node).input(bias.use.slot);
    if (!bias.value) return "there is none";
    const Tensor* constant = context_.graph.constant(bias.value);
    if (!constant) return "it is not constant";
    const QParams* input = input_qparams(decision);
    if (!input) return "its input has no pair";
    bias.input_scale = input->scale.front();
    if (node.float_or("alpha", 1.0F) != 1.0F || node.float_or("beta", 1.0F) != 1.0F) return "alpha or beta is not 1";
    bias.content = spread_over_channels(*constant, channels_of(decision));
    if (!is_channel_bias(bias.content, channels_of(decision))) return "its shape is not one number a channel";
    return "";
  }

  void require_scales(const WeightDecision& decision, Copy& copy) const {
    Bias bias;
    if (!find_bias(decision, bias).empty()) return;
    const DataType type = context_.type_of(*bias.value);
    const Target* target = context_.plan.target;
    const bool in_half = type == DataType::Float16 && target && target->engine.half_bias_codes;
    if (type != DataType::Float32 && !in_half) return;
    // Every output element sums a part of the weight's elements: those of its channel, or of one group of them.
    const Tensor weight = tensor_of(decision);
    const int64_t channels = decision.axis < 0 ? 1 : weight.shape()[as_index(decision.axis)];
    const bool wide = code_format(input_qparams(decision)->type).bits == 16;
    const int64_t products = wide ? 0 : weight.element_count() / std::max<int64_t>(channels, 1);
    const size_t count = channels_of(decision);
    keep_larger(copy.least_scales, least_weight_scales(bias.content, bias.input_scale, count, products, in_half));
    keep_larger(copy.zero_scales, zero_weight_scales(bias.content, bias.input_scale, count));
  }

  static void keep_larger(std::vector<float>& scales, const std::vector<float>& others) {
    scales.resize(others.size());
    for (size_t i = 0; i < others.size(); ++i) scales[i] = std::max(scales[i], others[i]);
  }

  void insert_bias(const WeightDecision& decision) {
    Bias bias;
    std::string reason = find_bias(decision, bias);
    if (!bias.value) return;
    if (context_.type_of(*bias.value) != DataType::Float32) {
      ++half_biases_;
      return;
    }
    const Node& node = node_of(decision);
    std::optional<QuantizedBias> quantized;
    if (reason.empty()) {
      const Copy& copy = copies_.at(key_of(decision));
      quantized = quantize_bias(bias.content, bias.input_scale, copy.qparams.scale);
      if (!quantized) reason = "its codes do not fit 32 bits";
    }
    if (!quantized) return warn("the bias of node '" + node.name + "' stays float: " + reason);
    PairWriter& writer = context_.writer;
    // The scale depends on this node's input and weight.
    const std::string wish = context_.name(*bias.value) + "_of_" + node.name;
    const PairWriter::Grid grid = writer.add_grid(wish, quantized->qparams, DataType::Float32);
    const std::string codes = writer.add_constant(wish + "_quantized", std::move(quantized->codes));
    const std::string result = writer.fresh(wish + "_dequantized");
    writer.add_dequantize(wish, codes, result, grid, DataType::Float32);
    writer.read(bias.use.node, bias.use.slot, result);
  }

  /// Returns the grid of the operand that the weight multiplies; nullptr when it has no pair.
  [[nodiscard]] const QParams* input_qparams(const WeightDecision& decision) const {
    const EdgeDecision* edge = find_pair(context_.plan, context_.graph, decision.node, decision.slot == 0 ? 1 : 0);
    const QuantizedValue* grid = context_.result.find_grid(edge);
    return grid ? &grid->qparams : nullptr;
  }

  /// True where integer kernels run: 16-bit codes have none.
  [[nodiscard]] bool has_8_bit_input(const WeightDecision& decision) const {
    if (decision.dynamic) return true;
    const QParams* input = input_qparams(decision);
    return input && code_format(input->type).bits == 8;
  }

  RewriteContext& context_;
  std::map<Key, Copy> copies_;
  size_t half_biases_ = 0;
};

}  // namespace

void insert_weights(RewriteContext& context) { WeightInserter(context).run(); }

}  // namespace detent
