#include "prepare/expand/attention.h"

#include <limits>

#include "core/index.h"
#include "prepare/expand/expanders.h"

namespace detent::expand {

namespace {

/// The place of queries, keys or values in the joint weight and bias.
struct Part {
  int64_t first = 0, last = 0;  ///< columns
  int64_t width = 0;            ///< columns of all three
};

/// Columns of a constant, or of a value when it runs. rank  2 for the weight, 1 for the bias
Name columns(Body& body, size_t slot, size_t rank, const Part& part, const char* word) {
  const Tensor* whole = body.constant(slot);
  if (!whole) return slice(body, body.input(slot), static_cast<int64_t>(rank) - 1, part.first, part.last);
  if (whole->shape().rank() != rank || whole->shape()[rank - 1] != part.width)
    refuse("its input " + std::to_string(slot) + " has shape " + whole->shape().to_string());
  const int64_t rows = rank == 2 ? whole->shape()[0] : 1, columns = part.last - part.first;
  const Tensor floats = cast(*whole, DataType::Float32);
  Tensor cut(DataType::Float32, rank == 2 ? Shape{rows, columns} : Shape{columns});
  for (int64_t row = 0; row < rows; ++row)
    std::ranges::copy(floats.data<float>().subspan(as_index(row * part.width + part.first), as_index(columns)),
                      cut.mutable_data<float>().subspan(as_index(row * columns)).begin());
  return body.constant_of(word, cast(cut, whole->type()));
}

/// The widths of queries, keys and values in the joint weight.
std::vector<int64_t> hidden_sizes(const Body& body) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  std::vector<int64_t> sizes = body.node().ints_or("qkv_hidden_sizes", {});
  const int64_t width = body.extent(1, 1) >= 0 ? body.extent(1, 1) : body.extent(2, 0);
  if (sizes.empty()) {
    if (width < 0) refuse("the extents of its weights are not known");
    if (width % 3 != 0) refuse("the extent of its weights is not a multiple of 3");
    sizes = {width / 3, width / 3, width / 3};
  }
  if (sizes.size() != 3 || std::ranges::any_of(sizes, [](int64_t size) { return size < 1 || size > kLargest; }) ||
      (width >= 0 && sizes[0] + sizes[1] + sizes[2] != width))
    refuse("attribute qkv_hidden_sizes does not fit its weights");
  return sizes;
}

}  // namespace

void expand_attention(Body& body) {
  enum { Input, Weights, Bias, Mask, Past, AttentionBias, PastLength };
  const Node& node = body.node();
  body.refuse_unless("do_rotary", 0);
  body.refuse_unless("past_present_share_buffer", 0);
  body.refuse_input(PastLength, "past_sequence_length");
  const int64_t heads = body.count("num_heads");
  const std::vector<int64_t> sizes = hidden_sizes(body);
  if (heads < 1 || std::ranges::any_of(sizes, [&](int64_t size) { return size % heads != 0; }))
    refuse("attribute num_heads does not divide the hidden size");
  const DataType type = body.type(Input);

  // One product each for queries, keys and values, as exporters write them: weights and scales stay separate.
  constexpr const char* kWeightWords[] = {"query_weight", "key_weight", "value_weight"};
  constexpr const char* kBiasWords[] = {"query_bias", "key_bias", "value_bias"};
  Names parts;
  Part part{0, 0, sizes[0] + sizes[1] + sizes[2]};
  for (size_t i = 0; i < 3; ++i) {
    part.first = part.last;
    part.last += sizes[i];
    Name product = body.add("MatMul", {body.input(Input), columns(body, Weights, 2, part, kWeightWords[i])});
    if (body.reads(Bias)) product = body.add("Add", {product, columns(body, Bias, 1, part, kBiasWords[i])});
    parts.push_back(split_heads(body, product, heads));
  }
  if (body.reads(Past)) {
    parts[1] = concat(body, {take(body, body.input(Past), 0, 0), parts[1]}, 2);
    parts[2] = concat(body, {take(body, body.input(Past), 0, 1), parts[2]}, 2);
  }
  if (body.writes(1)) body.write(1, concat(body, {unsqueeze(body, parts[1], {0}), unsqueeze(body, parts[2], {0})}, 0));

  Heads all;
  all.query = parts[0];
  all.key = parts[1];
  all.value = parts[2];
  all.head_size = sizes[0] / heads;
  all.type = type;
  if (const float scale = node.float_or("scale", 0); scale != 0) all.scale = scale;
  if (node.int_or("unidirectional", 0) != 0)
    all.added.push_back(mask_of(body, later_keys(body, parts[0], parts[1]), lowest(type), type));
  if (body.reads(Mask))
    all.added.push_back(
        padding_mask(body, Mask, parts[1], static_cast<double>(node.float_or("mask_filter_value", -10000)), type));
  if (body.reads(AttentionBias)) all.added.push_back(body.input(AttentionBias));
  body.write(0, attend(body, all));
}

}  // namespace detent::expand
