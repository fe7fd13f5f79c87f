#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/index.h"
#include "core/stop.h"
#include "detent/base/tensor.h"
#include "ops/kernel_function.h"
#include "ops/memory/strided_copy.h"
#include "ops/onednn/row_product.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/simd/reduce.h"
#include "ops/types/half_precision.h"

namespace detent {

namespace {

/// A x B x C x D -> A x C x B x D.
Tensor swap_middle(const Tensor& tensor, Allocator& allocator) {
  const Shape& s = tensor.shape();
  Tensor result(tensor.type(), Shape{s[0], s[2], s[1], s[3]}, allocator);
  if (tensor.element_count() > 0)
    copy_strided(tensor.raw(), result.mutable_raw(), byte_size(tensor.type()),
                 {{s[0], s[1] * s[2] * s[3], s[1] * s[2] * s[3]},
                  {s[2], s[3], s[1] * s[3]},
                  {s[1], s[2] * s[3], s[3]},
                  {s[3], 1, 1}});
  return result;
}

/// Two tensors of rank 4 and one type joined along axis 2. Errors  InvalidData when the other extents differ.
Tensor join_steps(const Tensor& first, const Tensor& second, Allocator& allocator) {
  const Shape &a = first.shape(), &b = second.shape();
  if (a.rank() != 4 || b.rank() != 4 || a[0] != b[0] || a[1] != b[1] || a[3] != b[3] || first.type() != second.type())
    throw Error(ErrorCode::InvalidData,
                "a past of shape " + a.to_string() + " does not fit new steps of shape " + b.to_string());
  Tensor result(first.type(), Shape{a[0], a[1], a[2] + b[2], a[3]}, allocator);
  const size_t bytes = byte_size(first.type());
  const size_t front = as_index(a[2] * a[3]) * bytes, back = as_index(b[2] * b[3]) * bytes;
  const auto* x = static_cast<const std::byte*>(first.raw());
  const auto* y = static_cast<const std::byte*>(second.raw());
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t i = 0; i < a[0] * a[1]; ++i, x += front, y += back) {
    out = std::copy_n(x, front, out);
    out = std::copy_n(y, back, out);
  }
  return result;
}

/// The stage of the scores that output 3 shows.
enum class Shown : int64_t { Product = 0, Capped = 1, Masked = 2, Probabilities = 3 };

struct AttentionOptions {
  int64_t query_heads, key_heads;  ///< for inputs of rank 3; 0 = not given
  float scale, cap;                ///< scale NaN: 1 / sqrt(head size); cap 0: none
  bool causal;
  int64_t left, right;  ///< how far from its own position a query sees; -1: to the end
  Shown shown;
};

/// Heads taken apart: B x S x (H * D) -> B x H x S x D. Rank 4 stays.
Tensor split_heads(const Tensor& tensor, int64_t heads, Allocator& allocator) {
  const Shape& shape = tensor.shape();
  if (shape.rank() == 4) return tensor;
  if (shape.rank() != 3 || heads < 1 || shape[2] % heads != 0)
    throw Error(ErrorCode::InvalidData,
                "an input of shape " + shape.to_string() + " does not split into " + std::to_string(heads) + " heads");
  return swap_middle(tensor.reshaped(Shape{shape[0], shape[1], heads, shape[2] / heads}), allocator);
}

struct AttentionOperands {
  Tensor query, key, value;    ///< B x H x S x D, the past in front of keys and values
  Tensor bias;                 ///< mask as numbers to add, broadcast to B x H x Sq x Sk; empty: none
  std::vector<int64_t> valid;  ///< how many keys of each batch entry count; empty: all
  int64_t past = 0;
};

Tensor with_past(const KernelCall& call, size_t slot, const Tensor& now) {
  if (!call.has_input(slot) || call.input(slot).element_count() == 0) return now;
  return join_steps(call.input(slot), now, call.allocator());
}

/// A boolean mask as 0 and -infinity; a short mask goes on with -infinity. float or double, as the query.
template <class T>
Tensor bias_of(const Tensor& mask, int64_t keys) {
  const bool boolean = mask.type() == DataType::Bool;
  Shape shape = mask.shape();
  if (shape.rank() == 0) throw Error(ErrorCode::InvalidData, "the mask is a scalar");
  const int64_t given = shape[shape.rank() - 1];
  if (given != 1) shape[shape.rank() - 1] = std::max(given, keys);  // 1 is broadcast, not short
  const Tensor numbers = boolean ? mask : cast(mask, data_type_of<T>);
  if (!boolean && shape == mask.shape()) return numbers;
  Tensor bias(data_type_of<T>, shape);
  T* out = bias.mutable_data<T>().data();
  const int64_t width = shape[shape.rank() - 1];
  constexpr T kMasked = -std::numeric_limits<T>::infinity();
  for (int64_t row = 0; row < shape.element_count(0, shape.rank() - 1); ++row, out += width) {
    const auto from = as_index(row * given), count = as_index(given);
    if (boolean)
      std::ranges::transform(mask.data<bool>().subspan(from, count), out,
                             [](bool seen) { return seen ? T{0} : kMasked; });
    else
      std::ranges::copy(numbers.data<T>().subspan(from, count), out);
    std::fill(out + given, out + width, kMasked);
  }
  return bias;
}

/// True when a mask of this shape is broadcast to `scores`.
bool fits_scores(const Shape& mask, const Shape& scores) {
  bool fits = mask.rank() <= scores.rank();
  for (size_t axis = 0; fits && axis < mask.rank(); ++axis)
    fits = mask[axis] == 1 || mask[axis] == scores[axis + scores.rank() - mask.rank()];
  return fits;
}

template <class T>
AttentionOperands attention_operands(const KernelCall& call, const AttentionOptions& options) {
  AttentionOperands operands{.query = split_heads(call.input(0), options.query_heads, call.allocator()),
                             .key = split_heads(call.input(1), options.key_heads, call.allocator()),
                             .value = split_heads(call.input(2), options.key_heads, call.allocator()),
                             .bias = {},
                             .valid = {}};
  if (call.has_input(4)) operands.past = call.input(4).shape()[2];
  operands.key = with_past(call, 4, operands.key);
  operands.value = with_past(call, 5, operands.value);
  const Shape &query = operands.query.shape(), &key = operands.key.shape(), &value = operands.value.shape();
  if (key[0] != query[0] || value[0] != query[0] || key[3] != query[3] || key[2] != value[2] || key[1] != value[1] ||
      key[1] == 0 || query[1] % key[1] != 0)
    throw Error(ErrorCode::InvalidData, "queries of shape " + query.to_string() + ", keys of shape " + key.to_string() +
                                            " and values of shape " + value.to_string() + " do not fit together");
  if (call.has_input(3)) {
    operands.bias = bias_of<T>(call.input(3), key[2]);
    const Shape scores{query[0], query[1], query[2], key[2]};
    if (!fits_scores(operands.bias.shape(), scores))
      throw Error(ErrorCode::InvalidData, "a mask of shape " + call.input(3).shape().to_string() +
                                              " does not fit scores of shape " + scores.to_string());
  }
  if (call.has_input(6)) operands.valid = integers_of(call.input(6));
  if (!operands.valid.empty() && std::ssize(operands.valid) != query[0])
    throw Error(ErrorCode::InvalidData, "one number of valid keys a batch entry was expected");
  for (const int64_t valid : operands.valid)
    if (valid < 0 || valid > operands.key.shape()[2])
      throw Error(ErrorCode::InvalidData,
                  std::to_string(valid) + " valid keys of " + std::to_string(operands.key.shape()[2]));
  return operands;
}

/// Offset of the mask's element for (b, h, q, k).
int64_t bias_offset(const Shape& shape, std::array<int64_t, 4> position) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    offset = offset * shape[axis] + (shape[axis] == 1 ? 0 : position[axis + 4 - shape.rank()]);
  return offset;
}

/// The keys that a query may attend to: [first, last].
struct Visible {
  int64_t first, last;
};

/// Sees to it that query `q` of batch entry `b` looks neither into the future (causal) nor out of its window.
Visible visible_keys(const AttentionOperands& operands, const AttentionOptions& options, int64_t b, int64_t q) {
  const int64_t keys = operands.key.shape()[2];
  const int64_t valid = operands.valid.empty() ? keys : operands.valid[as_index(b)];
  const bool external = operands.past == 0 && !operands.valid.empty();
  const int64_t position = q + (external ? valid - operands.query.shape()[2] : operands.past);
  int64_t last = valid - 1;
  if (options.causal) last = std::min(last, position);
  if (options.right >= 0) last = std::min(last, position + options.right);
  return {options.left < 0 ? 0 : position - options.left, last};
}

/// The softmax of a row in place; one without any visible key becomes 0.
template <class T>
void make_probabilities(std::span<T> row) {
  if (std::ranges::all_of(row, [](T x) { return std::isinf(x) && x < 0; })) return void(std::ranges::fill(row, T{0}));
  if constexpr (std::is_same_v<T, float>) {
    softmax_run(SoftmaxFunction::Softmax, row.data(), row.data(), 1, std::ssize(row), 1);
  } else {
    const T largest = *std::ranges::max_element(row);
    T sum = 0;
    for (T& x : row) sum += x = std::exp(x - largest);
    for (T& x : row) x /= sum;
  }
}

/// tanh in place.
template <class T>
void squash(std::span<T> row) {
  if constexpr (std::is_same_v<T, float>)
    apply_unary({UnaryFunction::Tanh}, row.data(), row.data(), row.size());
  else
    std::ranges::transform(row, row.begin(), [](T x) { return std::tanh(x); });
}

/// Products of one query with all keys, made probabilities in place, stage by stage; writes the wanted stage to `shown`
/// unless that is nullptr. at  batch entry, head, query, 0.
template <class T>
void score_row(const AttentionOperands& operands, const AttentionOptions& options, std::array<int64_t, 4> at,
               std::span<T> row, T* shown) {
  const int64_t size = operands.query.shape()[3], keys = operands.key.shape()[2];
  const auto show = [&](Shown stage) {
    if (shown && options.shown == stage) std::ranges::copy(row, shown);
  };
  const auto scale =
      static_cast<T>(std::isnan(options.scale) ? 1 / std::sqrt(static_cast<double>(size)) : options.scale);
  for (T& x : row) x *= scale;
  show(Shown::Product);
  if (options.cap > 0) {
    const auto cap = static_cast<T>(options.cap);
    for (T& x : row) x /= cap;
    squash(row);
    for (T& x : row) x *= cap;
  }
  show(Shown::Capped);
  if (!operands.bias.empty_handle()) {
    const Shape& shape = operands.bias.shape();
    const T* bias = operands.bias.data<T>().data() + bias_offset(shape, at);
    if (shape[shape.rank() - 1] == 1)
      for (T& x : row) x += *bias;
    else
      for (int64_t i = 0; i < keys; ++i) row[as_index(i)] += bias[i];
  }
  const Visible visible = visible_keys(operands, options, at[0], at[2]);
  const auto first = row.begin() + std::clamp<int64_t>(visible.first, 0, keys);
  const auto end = row.begin() + std::clamp<int64_t>(visible.last + 1, 0, keys);
  constexpr T kMasked = -std::numeric_limits<T>::infinity();
  std::fill(row.begin(), first, kMasked);
  std::fill(end, row.end(), kMasked);
  show(Shown::Masked);
  make_probabilities(row);
  show(Shown::Probabilities);
}

template <class T>
void attend(KernelCall& call, const AttentionOptions& options) {
  const AttentionOperands operands = attention_operands<T>(call, options);
  const Shape &query = operands.query.shape(), &value = operands.value.shape();
  const int64_t keys = value[2], width = value[3], queries = query[2];
  Tensor output(data_type_of<T>, Shape{query[0], query[1], queries, width}, call.allocator());
  Tensor shown = call.wants_output(3)
                     ? Tensor(data_type_of<T>, Shape{query[0], query[1], queries, keys}, call.allocator())
                     : Tensor();
  Tensor score_memory(data_type_of<T>, Shape{queries, keys}, call.allocator());
  Tensor turned_memory(data_type_of<T>, Shape{width, keys}, call.allocator());  // the values of a head, transposed
  T* scores = score_memory.mutable_data<T>().data();
  T* turned = turned_memory.mutable_data<T>().data();
  T* out = output.mutable_data<T>().data();
  T* stage = shown.empty_handle() ? nullptr : shown.mutable_data<T>().data();
  for (int64_t b = 0; b < query[0]; ++b)
    for (int64_t h = 0; h < query[1]; ++h, out += queries * width) {
      const int64_t key_head = b * value[1] + h / (query[1] / value[1]);
      multiply_rows(operands.query.data<T>().data() + (b * query[1] + h) * queries * query[3],
                    operands.key.data<T>().data() + key_head * keys * query[3], scores, queries, keys, query[3]);
      for (int64_t q = 0; q < queries; ++q) {
        stop_if_interrupted();
        score_row<T>(operands, options, {b, h, q, 0}, std::span(scores + q * keys, as_index(keys)), stage);
        if (stage) stage += keys;
      }
      copy_strided(operands.value.data<T>().data() + key_head * keys * width, turned, sizeof(T),
                   {{keys, width, 1}, {width, 1, keys}});
      multiply_rows(scores, turned, out, queries, width, keys);
    }
  if (call.input(0).shape().rank() == 3)
    output = swap_middle(output, call.allocator()).reshaped(Shape{query[0], queries, query[1] * width});
  call.set_output(0, std::move(output));
  call.set_output(1, operands.key);
  call.set_output(2, operands.value);
  call.set_output(3, std::move(shown));
}

std::unique_ptr<Kernel> make_attention(const KernelContext& context) {
  const Node& node = context.node;
  const int64_t shown = node.int_or("qk_matmul_output_mode", 0);
  if (shown < 0 || shown > 3)
    throw Error(ErrorCode::InvalidModel,
                "attribute qk_matmul_output_mode is " + std::to_string(shown) + ", expected 0 to 3");
  constexpr int64_t kFurthest = int64_t{1} << 48;  // no sequence is as long: positions stay within 64 bits
  const AttentionOptions options{.query_heads = node.int_or("q_num_heads", 0),
                                 .key_heads = node.int_or("kv_num_heads", 0),
                                 .scale = node.float_or("scale", std::numeric_limits<float>::quiet_NaN()),
                                 .cap = node.float_or("softcap", 0),
                                 .causal = node.int_or("is_causal", 0) != 0,
                                 .left = std::min(node.int_or("left_window_size", -1), kFurthest),
                                 .right = std::min(node.int_or("right_window_size", -1), kFurthest),
                                 .shown = Shown{shown}};
  return kernel_of([options](KernelCall& call) {
    if (call.input(0).type() == DataType::Float32) return attend<float>(call, options);
    if (call.input(0).type() == DataType::Float64) return attend<double>(call, options);
    throw unsupported_type(call.input(0).type());
  });
}

constexpr OperatorDef kAttentionDefinitions[] = {
    {.op_type = "Attention",
     .signature =
         "Q K V attn_mask? past_key? past_value? -> Y present_key? present_value? qk_matmul_output?; is_causal:int "
         "kv_num_heads:int q_num_heads:int qk_matmul_output_mode:int scale:float softcap:float softmax_precision:int | "
         "24: Q K V attn_mask? past_key? past_value? nonpad_kv_seqlen? -> Y present_key? present_value? "
         "qk_matmul_output?; is_causal:int kv_num_heads:int left_window_size:int q_num_heads:int "
         "qk_matmul_output_mode:int right_window_size:int scale:float softcap:float softmax_precision:int",
     .traits = {.data_inputs = 3},
     .make = with_half<make_attention>,
     .first_opset = 23},
};

}  // namespace

std::span<const OperatorDef> attention_operators() { return kAttentionDefinitions; }

}  // namespace detent
