#include <cmath>
#include <limits>

#include "prepare/expand/attention.h"

namespace detent::expand {

namespace {

/// The scores times the scale. A known head size is divided by, as exporters do.
Name scaled(Body& body, const Name& scores, const Heads& heads) {
  if (heads.scale) return body.add("Mul", {scores, body.scalar(static_cast<double>(*heads.scale), heads.type)});
  if (heads.head_size > 0)
    return body.add("Div", {scores, body.scalar(std::sqrt(static_cast<double>(heads.head_size)), heads.type)});
  const Name size = cast_to(body, extent_of(body, heads.query, 3), heads.type);
  return body.add("Div", {scores, body.add("Sqrt", {size})});
}

}  // namespace

Name attend(Body& body, const Heads& heads) {
  const Name keys = transpose(body, heads.key, {0, 1, 3, 2});
  Name scores = scaled(body, body.add("MatMul", {heads.query, keys}), heads);
  if (heads.softcap > 0) {
    const Name cap = body.scalar(static_cast<double>(heads.softcap), heads.type);
    scores = body.add("Mul", {body.add("Tanh", {body.add("Div", {scores, cap})}), cap});
  }
  for (const Name& one : heads.added) scores = body.add("Add", {scores, one});
  if (!heads.sink.empty()) {
    const Name rows = slice(body, body.add("Shape", {heads.query}), 0, 0, 3);
    const Name column = body.add("Expand", {heads.sink, concat(body, {rows, body.ints({1})}, 0)});
    scores = concat(body, {scores, column}, 3);
  }
  Name weights = body.add("Softmax", {scores}, {{"axis", int64_t{body.opset() < 13 ? 3 : -1}}});
  if (!heads.sink.empty()) weights = slice(body, weights, 3, 0, -1);
  const Name results = body.add("MatMul", {weights, heads.value});
  return reshape(body, transpose(body, results, {0, 2, 1, 3}), {0, 0, -1});
}

Name split_heads(Body& body, const Name& value, int64_t heads) {
  return transpose(body, reshape(body, value, {0, 0, heads, -1}), {0, 2, 1, 3});
}

double lowest(DataType type) {
  if (type == DataType::Float16) return -65504;
  return -static_cast<double>(type == DataType::BFloat16 ? bfloat16_to_float(0x7f7f)
                                                         : std::numeric_limits<float>::max());
}

Name mask_of(Body& body, const Name& hidden, double filter, DataType type) {
  return body.add("Where", {hidden, body.scalar(filter, type), body.scalar(0, type)});
}

Name later_keys(Body& body, const Name& query, const Name& key) {
  const Name queries = extent_of(body, query, 2), keys = extent_of(body, key, 2);
  const Name positions = body.add("Add", {range(body, queries), body.add("Sub", {keys, queries})});
  return body.add("Greater", {range(body, keys), unsqueeze(body, positions, {1})});
}

namespace {

/// The list [B] or [2 B] of a mask as bool [B, 1, 1, T].
Name hidden_beyond(Body& body, size_t slot, const Name& key) {
  const int64_t batch = body.extent(0, 0), extent = body.extent(slot, 0);
  const bool same =
      extent > 0 ? extent == batch : !body.symbol(slot, 0).empty() && body.symbol(slot, 0) == body.symbol(0, 0);
  const bool ends_and_starts = extent > 0 && batch > 0 && extent % 2 == 0 && extent / 2 == batch;
  if (!same && !ends_and_starts)
    refuse("the extents of its mask '" + body.input(slot) + "' do not tell whether it holds lengths");
  const Name keys = range(body, extent_of(body, key, 2));
  const Name list = cast_to(body, body.input(slot), DataType::Int64);
  const auto column = [&](const Name& one) { return reshape(body, one, {-1, 1, 1, 1}); };
  const auto is_less = [&](const Name& a, const Name& b) { return body.add("Less", {a, b}); };
  const auto no_less = [&](const Name& a, const Name& b) { return body.add("Not", {is_less(a, b)}); };
  if (same) return no_less(keys, column(list));
  const Name ends = slice(body, list, 0, 0, batch), starts = slice(body, list, 0, batch, 2 * batch);
  return body.add("Or", {no_less(keys, column(ends)), is_less(keys, column(starts))});
}

}  // namespace

Name padding_mask(Body& body, size_t slot, const Name& key, double filter, DataType type) {
  const size_t rank = body.known_rank(slot);
  if (rank == 1) return mask_of(body, hidden_beyond(body, slot, key), filter, type);
  if (rank != 2 && rank != 3) refuse("its mask has rank " + std::to_string(rank));
  const Name shown = body.add("Greater", {body.input(slot), body.scalar(0, DataType::Int32)});
  const Name hidden = body.add("Not", {shown});
  return mask_of(body, unsqueeze(body, hidden, rank == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1}),
                 filter, type);
}

}  // namespace detent::expand
