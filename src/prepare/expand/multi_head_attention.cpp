#include <limits>

#include "prepare/expand/attention.h"
#include "prepare/expand/expanders.h"

namespace detent::expand {

namespace {

enum { Query, Key, Value, Bias, Mask, AttentionBias, PastKey, PastValue, PastLength, CacheIndirection };

/// Adds the part of the joint bias [first, last) to a projection.
Name with_bias(Body& body, const Name& value, int64_t first, int64_t last) {
  return body.reads(Bias) ? body.add("Add", {value, slice(body, body.input(Bias), 0, first, last)}) : value;
}

/// Returns the width of queries and keys: declared, or a third of the bias.
int64_t hidden_size(const Body& body) {
  if (const int64_t declared = body.extent(Query, 2); declared > 0) return declared;
  if (const int64_t declared = body.extent(Key, 2); body.rank(Key) == 3 && declared > 0) return declared;
  const int64_t joint = body.extent(Bias, 0);
  return joint > 0 && joint % 3 == 0 && body.extent(Value, 2) < 0 ? joint / 3 : -1;
}

/// Returns bool [S, T], true where `unidirectional` hides the key: query s comes behind the past at s, as many keys as
/// are fresh to it, and the last query sees every key.
/// fresh   [B, N, F, H], the keys without the past
/// Source  asked of onnxruntime 1.30 with 4, 6 and 2 queries on 6, 4 and 7 keys; later_keys() is the case F = S.
Name hidden_keys(Body& body, const Heads& all, const Name& fresh) {
  const size_t axis = body.known_rank(Key) - 2;
  const int64_t queries = body.extent(Query, 1), keys = body.extent(Key, static_cast<int64_t>(axis));
  const std::string symbol = body.symbol(Query, 1);
  if (queries > 0 ? queries == keys : !symbol.empty() && symbol == body.symbol(Key, axis))
    return later_keys(body, all.query, all.key);
  const Name count = extent_of(body, all.query, 2), total = extent_of(body, all.key, 2);
  const Name rows = range(body, count), one = body.ints({1});
  const Name past = body.add("Sub", {total, extent_of(body, fresh, 2)});
  const Name last = body.add("Equal", {rows, body.add("Sub", {count, one})});
  const Name positions = body.add("Where", {last, body.add("Sub", {total, one}), body.add("Add", {rows, past})});
  return body.add("Greater", {range(body, total), unsqueeze(body, positions, {1})});
}

}  // namespace

void expand_multi_head_attention(Body& body) {
  const Node& node = body.node();
  if (!body.reads(Key) || !body.reads(Value)) refuse("packed queries, keys and values are not supported");
  body.refuse_input(PastLength, "past_sequence_length");
  body.refuse_input(CacheIndirection, "cache_indirection");
  body.refuse_output(3, "qk");
  const int64_t heads = body.count("num_heads");
  if (heads < 1) refuse("attribute num_heads is not positive");
  const size_t key_rank = body.known_rank(Key);
  if (key_rank != 3 && key_rank != 4) refuse("packed keys and values are not supported");
  if (body.rank(Query).value_or(3) != 3) refuse("packed queries, keys and values are not supported");
  const bool cached = key_rank == 4;  // keys and values of heads, from an encoder
  const DataType type = body.type(Query);
  const int64_t hidden = hidden_size(body);
  if (body.reads(PastKey) != body.reads(PastValue)) refuse("past_key and past_value go together");
  if (hidden > std::numeric_limits<int32_t>::max()) refuse("the width of its query makes no sense");
  if (body.reads(Bias) && hidden < 0) refuse("the width of its query is not known");
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  Heads all;
  all.query = split_heads(body, with_bias(body, body.input(Query), 0, hidden), heads);
  all.key = cached ? body.input(Key) : split_heads(body, with_bias(body, body.input(Key), hidden, 2 * hidden), heads);
  all.value =
      cached ? body.input(Value) : split_heads(body, with_bias(body, body.input(Value), 2 * hidden, kEnd), heads);
  const Name fresh = all.key;  // without those of the past
  if (body.reads(PastKey) && body.reads(PastValue)) {
    all.key = concat(body, {body.input(PastKey), all.key}, 2);
    all.value = concat(body, {body.input(PastValue), all.value}, 2);
  }
  body.write(1, all.key);
  body.write(2, all.value);
  all.type = type;
  all.head_size = hidden > 0 ? hidden / heads : 0;
  if (const float scale = node.float_or("scale", 0); scale != 0) all.scale = scale;
  if (node.int_or("unidirectional", 0) != 0)
    all.added.push_back(mask_of(body, hidden_keys(body, all, fresh), lowest(type), type));
  if (body.reads(Mask))
    all.added.push_back(
        padding_mask(body, Mask, all.key, static_cast<double>(node.float_or("mask_filter_value", -10000)), type));
  if (body.reads(AttentionBias)) all.added.push_back(body.input(AttentionBias));
  body.write(0, attend(body, all));
}

}  // namespace detent::expand
