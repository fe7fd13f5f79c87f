#include "ops/window/saturating_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "ops/merged_pad.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/simd/saturating_product.h"
#include "ops/traits.h"
#include "ops/weight_pairs.h"

namespace detent {

namespace {

/// Returns the constant codes of a DequantizeLinear; nullptr where they are computed.
const Tensor* codes_of(const KernelContext& context, const Dequantizer& dequantizer) {
  const KernelContext own{context.graph, *dequantizer.node, context.opset, {}, context.folded};
  return own.constant(0);
}

bool all_zero(const std::vector<int32_t>& numbers) {
  return std::ranges::all_of(numbers, [](int32_t number) { return number == 0; });
}

/// Returns the only reader of a value; nullptr for several, for an output of the graph and for no value.
const Node* only_reader(const Graph& graph, MaybeValue id) {
  if (!id) return nullptr;
  const Value& value = graph.value(*id);
  if (value.is_output || value.uses.size() != 1 || value.uses[0].slot != 0) return nullptr;
  return &graph.node(value.uses[0].node);
}

/// Returns what the engine adds to codes on x86, where it makes UINT8 of INT8.
int32_t unsigned_shift(DataType type) { return type == DataType::Int8 ? 128 : 0; }

int32_t wrapped(int64_t number) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(number))); }

}  // namespace

std::unique_ptr<const SaturatingLayer> SaturatingLayer::find(const KernelContext& context) {
  const Node* pad = merged_pad(context.graph, context.node);  // its zeros become the zero point
  const KernelContext before{context.graph, pad ? *pad : context.node, context.opset, {}, context.folded};
  const auto data = dequantizer_of(before, 0), weights = dequantizer_of(context, 1);
  if (!data || !weights || data->scales.size() != 1) return nullptr;
  if (context.node.float_or("alpha", 1) != 1 || context.node.float_or("beta", 1) != 1) return nullptr;
  std::unique_ptr<SaturatingLayer> layer(new SaturatingLayer);
  layer->input_scale_ = data->scales[0];
  layer->code_type_ = data->type;
  layer->input_zero_ = data->zero_points[0] + unsigned_shift(data->type);
  layer->find_grid_behind(context);
  const OpKind kind = traits_of(context.graph, context.node).kind;
  if (kind == OpKind::Conv && !layer->behind_) return nullptr;
  if (!layer->find_weights(context) || !layer->find_bias(context, weights->scales)) return nullptr;
  layer->set_factors(weights->scales);
  return layer;
}

bool SaturatingLayer::find_weights(const KernelContext& context) {
  const auto dequantizer = dequantizer_of(context, 1);
  const Tensor* codes = codes_of(context, *dequantizer);
  if (!codes || codes->type() != DataType::Int8 || codes->layout() != Layout::Plain || codes->element_count() == 0 ||
      !all_zero(dequantizer->zero_points))
    return false;
  const Shape& shape = codes->shape();
  order_ = weight_pairs(context.graph, context.node, 1, shape);
  const bool convolution = traits_of(context.graph, context.node).kind == OpKind::Conv;
  if (convolution ? shape.rank() < 3 : shape.rank() != 2) return false;
  const auto axis = as_index(order_.output_axis);
  outputs_ = shape[axis];
  const size_t scales = dequantizer->scales.size();
  const int64_t along = dequantizer->node->int_or("axis", 1);
  const bool fits = along == as_extent(axis) || along == as_extent(axis) - as_extent(shape.rank());
  if (scales != 1 && (as_extent(scales) != outputs_ || !fits)) return false;
  constexpr int64_t kMostProducts = 1 << 15;
  if (codes->element_count() / outputs_ > kMostProducts) return false;
  weights_ = *codes;
  offsets_.assign(as_index(outputs_), 0);
  const auto* code = weights_.data<int8_t>().data();
  const int64_t inner = shape.element_count(axis + 1, shape.rank()), end = weights_.element_count();
  for (int64_t first = 0; first < end; first += outputs_ * inner)
    for (int32_t& offset : offsets_)
      for (const int8_t* const last = code + inner; code < last; ++code) offset -= input_zero_ * *code;
  return true;
}

/// Adds the bias to offsets_. A float bias becomes INT32 with scale s_x s_w where a pair stands behind the layer, as
/// the engine does.
bool SaturatingLayer::find_bias(const KernelContext& context, const std::vector<float>& weight_scales) {
  const OpTraits& traits = traits_of(context.graph, context.node);
  if (traits.bias_slot < 0 || !context.node.input(traits.bias_slot)) return true;
  const auto slot = static_cast<size_t>(traits.bias_slot);
  const Tensor* bias = context.constant(slot);
  if (!bias || bias->type() != DataType::Float32 || bias->element_count() != outputs_) return false;
  const Node* before = context.graph.producer(context.node.input(slot));
  if (before && traits_of(context.graph, *before).kind == OpKind::DequantizeLinear) {
    const KernelContext own{context.graph, *before, context.opset, {}, context.folded};
    const Tensor* codes = own.constant(0);
    if (codes && codes->type() == DataType::Int32) {
      for (size_t o = 0; o < offsets_.size(); ++o)
        offsets_[o] = wrapped(int64_t{offsets_[o]} + codes->data<int32_t>()[o]);
      return true;
    }
  }
  if (!behind_) return false;
  for (size_t o = 0; o < offsets_.size(); ++o) {
    const float scale = input_scale_ * weight_scales[weight_scales.size() == 1 ? 0 : o];
    const double code = std::nearbyint(static_cast<double>(bias->data<float>()[o]) / static_cast<double>(scale));
    if (!(std::abs(code) <= std::numeric_limits<int32_t>::max())) return false;
    offsets_[o] = wrapped(int64_t{offsets_[o]} + static_cast<int64_t>(code));
  }
  return true;
}

/// Finds the pair behind the layer; the engine absorbs a Relu or Clip in front of it.
void SaturatingLayer::find_grid_behind(const KernelContext& context) {
  const Graph& graph = context.graph;
  const Node* reader = only_reader(graph, context.node.output(0));
  if (reader) {
    const OpKind kind = traits_of(graph, *reader).kind;
    if (kind == OpKind::Relu || kind == OpKind::Clip) reader = only_reader(graph, reader->output(0));
  }
  if (!reader || traits_of(graph, *reader).kind != OpKind::QuantizeLinear) return;
  const KernelContext own{graph, *reader, context.opset, {}, context.folded};
  const Tensor *scale = own.constant(1), *zero_point = own.constant(2);
  if (!scale || scale->type() != DataType::Float32 || scale->element_count() != 1) return;
  if (!zero_point || zero_point->type() != code_type_ || zero_point->element_count() != 1) return;
  const int32_t point =
      code_type_ == DataType::Int8 ? int32_t{zero_point->data<int8_t>()[0]} : int32_t{zero_point->data<uint8_t>()[0]};
  behind_ = Grid{scale->data<float>()[0], point + unsigned_shift(code_type_)};
}

void SaturatingLayer::set_factors(const std::vector<float>& weight_scales) {
  for (int64_t o = 0; o < outputs_; ++o) {
    const float product = input_scale_ * weight_scales[weight_scales.size() == 1 ? 0 : as_index(o)];
    factors_.push_back(behind_ ? product / behind_->scale : product);
  }
}

void SaturatingLayer::check_type(const Tensor& data) const {
  if (data.type() != DataType::Float32 && data.type() != code_type_) throw unsupported_type(data.type());
}

Tensor SaturatingLayer::codes(const Tensor& data, Allocator& allocator) const {
  if (data.type() == DataType::UInt8) return data;
  Tensor codes(DataType::UInt8, data.shape(), allocator, data.layout());
  if (data.type() == DataType::Int8) {
    std::ranges::transform(data.data<int8_t>(), codes.mutable_data<uint8_t>().begin(),
                           [](int8_t code) { return static_cast<uint8_t>(code + 128); });
    return codes;
  }
  const auto in = data.data<float>();
  quantize_run(in.data(), codes.mutable_data<uint8_t>().data(), input_scale_, input_zero_, in.size());
  return codes;
}

void SaturatingLayer::finish(const int32_t* sums, int64_t first, int64_t count, float* out) const {
  const int32_t* offsets = offsets_.data() + first;
  const float* factors = factors_.data() + first;
  const auto number = [&](int64_t o) {
    return static_cast<float>(
               static_cast<int32_t>(static_cast<uint32_t>(sums[o]) + static_cast<uint32_t>(offsets[o]))) *
           factors[o];
  };
  if (!behind_) {
    for (int64_t o = 0; o < count; ++o) out[o] = number(o);
    return;
  }
  const auto low = static_cast<float>(-behind_->zero_point), high = static_cast<float>(255 - behind_->zero_point);
  constexpr float kRound = 0x1.8p23F;  // adding and taking it away rounds half to even below 2^22
  for (int64_t o = 0; o < count; ++o) {
    const float cut = std::min(std::max(number(o), low), high);
    out[o] = ((cut + kRound) - kRound) * behind_->scale;
  }
}

SaturatingMatrix::SaturatingMatrix(const Tensor& weights, const PairOrder& order, int64_t first, int64_t count) {
  const std::vector<int64_t> offsets = pair_offsets(weights.shape(), order);
  const PairOutputs lie(weights.shape(), order);
  constexpr auto kRows = as_extent(kSaturatingRows), kColumns = as_extent(kSaturatingColumns);
  const auto used = std::ssize(offsets);
  inner_ = (used + kRows - 1) / kRows * kRows;
  blocks_ = (count + kColumns - 1) / kColumns;
  packed_.assign(as_index(blocks_ * kColumns * inner_), 0);
  const auto code = weights.data<int8_t>();
  for (int64_t o = 0; o < count; ++o)
    for (int64_t k = 0; k < used; ++k) {
      const int64_t offset = offsets[as_index(k)];
      if (offset < 0) continue;
      const int64_t block = o / kColumns, quad = k / kRows;
      packed_[as_index(((block * (inner_ / kRows) + quad) * kColumns + o % kColumns) * kRows + k % kRows)] =
          code[as_index((first + o) * lie.step + offset)];
    }
}

int64_t SaturatingMatrix::sums_row() const { return blocks_ * as_extent(kSaturatingColumns); }

void SaturatingMatrix::multiply(const uint8_t* codes, int64_t rows, int32_t* sums) const {
  multiply_saturating(codes, as_index(rows), as_index(inner_) / kSaturatingRows, packed_.data(), as_index(blocks_),
                      sums);
}

}  // namespace detent
