// Attention and RotaryEmbedding.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/index.h"
#include "core/stop.h"
#include "detent/base/tensor.h"
#include "ops/kernel_function.h"
#include "ops/memory/join.h"
#include "ops/memory/strided_copy.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/product/row_product.h"
#include "ops/simd/elementwise.h"
#include "ops/simd/reduce.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

/// Returns A x B x C x D as A x C x B x D.
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

/// The stage of the scores that output 3 shows.
enum class Shown : int64_t { Product = 0, Capped = 1, Masked = 2, Probabilities = 3 };

struct AttentionOptions {
  int64_t query_heads, key_heads;  ///< for inputs of rank 3; 0 = not given
  float scale, cap;                ///< scale NaN: 1 / sqrt(head size); cap 0: none
  bool causal;
  int64_t left, right;  ///< how far from its own position a query sees; -1: to the end
  Shown shown;
};

/// Separates heads: B x S x (H * D) -> B x H x S x D. Rank 4 stays.
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
  return join(std::array{call.input(slot), now}, 2, call.allocator());
}

/// Returns the mask as numbers to add, float or double as the query: a boolean one as 0 and -infinity; a short one goes
/// on with -infinity.
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

/// Returns the offset of the mask's element for (b, h, q, k).
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

/// Returns the keys of query `q` of batch entry `b`: neither in its future (causal) nor outside its window.
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

/// Applies softmax to a row in place; a row without a visible key becomes 0.
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

/// Applies tanh in place.
template <class T>
void squash(std::span<T> row) {
  if constexpr (std::is_same_v<T, float>)
    apply_unary({UnaryFunction::Tanh}, row.data(), row.data(), row.size());
  else
    std::ranges::transform(row, row.begin(), [](T x) { return std::tanh(x); });
}

/// Makes probabilities of the products of one query with all keys, in place, stage by stage; writes the wanted stage to
/// `shown` unless that is nullptr. at  batch entry, head, query, 0.
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
    visit_float(call.input(0).type(), [&]<class T>(T) { attend<T>(call, options); });
  });
}

struct RotaryEmbeddingOptions {
  int64_t heads, rotated;  ///< 0 = not given: rank 4, the whole head
  bool interleaved;
};

/// Returns the row of the caches for step s of batch entry b: by position id, or one for every step.
int64_t cache_row(const std::vector<int64_t>& positions, int64_t b, int64_t s, int64_t steps, int64_t rows) {
  const auto at = as_index(b * steps + s);
  const int64_t row = positions.empty() ? b * steps + s : at < positions.size() ? positions[at] : -1;
  if (row < 0 || row >= rows)
    throw Error(ErrorCode::InvalidData,
                "position " + std::to_string(row) + " is outside a cache of " + std::to_string(rows));
  return row;
}

struct Head {
  int64_t size, width;  ///< elements, and how many of them turn
  bool interleaved;
};

/// Rotates pairs (x1, x2) of the first `width` elements by the angle of their column.
template <class T>
void rotate(const T* in, T* out, const T* cosines, const T* sines, const Head& head) {
  const auto& [size, width, interleaved] = head;
  const int64_t half = width / 2;
  for (int64_t i = 0; i < half; ++i) {
    const int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + half;
    out[a] = cosines[i] * in[a] - sines[i] * in[b];
    out[b] = sines[i] * in[a] + cosines[i] * in[b];
  }
  for (int64_t i = 2 * half; i < size; ++i) out[i] = in[i];
}

void run_rotary(KernelCall& call, const RotaryEmbeddingOptions& options) {
  const Tensor given = call.input(0);
  const Shape& shape = given.shape();
  const bool flat = shape.rank() == 3;
  if ((shape.rank() != 4 && !flat) || (flat && (options.heads < 1 || shape[2] % options.heads != 0)))
    throw Error(ErrorCode::InvalidData, "an input of shape " + shape.to_string() + " does not split into " +
                                            std::to_string(options.heads) + " heads");
  const int64_t batch = shape[0], heads = flat ? options.heads : shape[1], steps = flat ? shape[1] : shape[2];
  const int64_t size = flat ? shape[2] / heads : shape[3], width = options.rotated > 0 ? options.rotated : size;
  const Tensor &cosines = call.input(1), &sines = call.input(2);
  const int64_t half = width / 2, rows = half > 0 ? cosines.element_count() / half : 0;
  if (width > size || width % 2 != 0 || cosines.shape() != sines.shape() || cosines.element_count() != rows * half ||
      cosines.shape().rank() == 0 || cosines.shape()[cosines.shape().rank() - 1] != half)
    throw Error(ErrorCode::InvalidData,
                "caches of shape " + cosines.shape().to_string() + " do not fit heads of " + std::to_string(size));
  const std::vector<int64_t> positions = call.has_input(3) ? integers_of(call.input(3)) : std::vector<int64_t>();
  Tensor output(given.type(), shape, call.allocator());
  visit_float(given.type(), [&]<class T>(T) {
    const T* in = given.data<T>().data();
    T* out = output.mutable_data<T>().data();
    for (int64_t i = 0; i < batch * heads * steps; ++i, in += size, out += size) {
      const int64_t s = flat ? i / heads % steps : i % steps;
      const int64_t row = cache_row(positions, i / (heads * steps), s, steps, rows) * half;
      rotate(in, out, cosines.data<T>().data() + row, sines.data<T>().data() + row, {size, width, options.interleaved});
    }
  });
  call.set_output(0, std::move(output));
}

RotaryEmbeddingOptions rotary_options(const Node& node) {
  return {.heads = node.int_or("num_heads", 0),
          .rotated = node.int_or("rotary_embedding_dim", 0),
          .interleaved = node.int_or("interleaved", 0) != 0};
}

}  // namespace

std::vector<OperatorDef> attention_operators() {
  return {
      {"Attention", {.data_inputs = 3}, with_half<make_attention>, 23},
      {"RotaryEmbedding", {.data_inputs = 1}, with_half<make_with<rotary_options, run_rotary>>, 23},
  };
}

}  // namespace detent
