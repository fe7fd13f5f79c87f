#include <limits>

#include "prepare/expand/attention.h"
#include "prepare/expand/expanders.h"
#include "prepare/expand/rotary.h"

namespace detent::expand {

namespace {

/// The expansion of one node. The past lies in front of the new keys. A sample whose own past is shorter than the
/// tensor has hidden keys between both; only `present` would hold them elsewhere in the engine.
class GroupQueries {
 public:
  explicit GroupQueries(Body& body)
      : body_(body), type_(body.type(Query)), heads_(body.count("num_heads")), groups_(body.count("kv_num_heads")) {
    refuse_other_forms();
    const bool packed = !body.reads(Key);
    const int64_t width = body.extent(Query, 2), all = packed ? heads_ + 2 * groups_ : heads_;
    head_size_ = width > 0 ? width / all : body.extent(PastKey, 3);
    if (head_size_ > std::numeric_limits<int32_t>::max()) refuse("the width of its query makes no sense");
    if (head_size_ < 1) refuse("the width of its query is not known");
  }

  void run() {
    queries_ = extent_of(body_, body_.input(Query), 1);
    const Name ends = body_.add("Add", {cast_to(body_, body_.input(Lengths), DataType::Int64), number(1)});
    past_ = body_.add("Max", {body_.add("Sub", {ends, queries_}), number(0)});
    split();
    if (body_.node().int_or("do_rotary", 0) != 0) rotate_queries_and_keys();
    if (body_.reads(PastKey)) {
      key_ = concat(body_, {body_.input(PastKey), key_}, 2);
      value_ = concat(body_, {body_.input(PastValue), value_}, 2);
    }
    body_.write(1, present(key_));
    body_.write(2, present(value_));
    Heads all;
    all.query = query_;
    all.key = repeated(key_);
    all.value = repeated(value_);
    all.head_size = head_size_;
    all.softcap = body_.node().float_or("softcap", 0);
    all.sink = sink();
    all.added = {mask_of(body_, hidden_keys(), lowest(type_), type_)};
    all.type = type_;
    if (const float scale = body_.node().float_or("scale", 0); scale != 0) all.scale = scale;
    if (body_.reads(AttentionBias)) all.added.push_back(body_.input(AttentionBias));
    body_.write(0, attend(body_, all));
  }

 private:
  enum {
    Query,
    Key,
    Value,
    PastKey,
    PastValue,
    Lengths,
    Total,
    Cos,
    Sin,
    Positions,
    AttentionBias,
    HeadSink,
    KeyScale,
    ValueScale,
    QueryNorm,
    KeyNorm
  };

  void refuse_other_forms() const {
    const auto refuse_text = [&](const char* attribute) {
      if (const std::string given = body_.node().string_or(attribute, "NONE"); given != "NONE")
        refuse(std::string("attribute ") + attribute + "=" + given + " is not supported");
    };
    if (heads_ < 1 || groups_ < 1 || heads_ % groups_ != 0) refuse("attribute kv_num_heads does not divide num_heads");
    body_.need_opset(14);
    if (body_.reads(Key) != body_.reads(Value)) refuse("key and value go together");
    if (body_.reads(PastKey) != body_.reads(PastValue)) refuse("past_key and past_value go together");
    if (body_.node().int_or("do_rotary", 0) != 0 && !(body_.reads(Cos) && body_.reads(Sin)))
      refuse("do_rotary needs cos_cache and sin_cache");
    for (const char* attribute : {"qk_output", "sliding_window_cache"}) body_.refuse_unless(attribute, 0);
    body_.refuse_unless("causal", 1);
    for (const char* attribute : {"k_quant_type", "v_quant_type"}) refuse_text(attribute);
    body_.refuse_input(KeyScale, "k_scale");
    body_.refuse_input(ValueScale, "v_scale");
    body_.refuse_input(QueryNorm, "q_norm_weight");
    body_.refuse_input(KeyNorm, "k_norm_weight");
    body_.refuse_output(3, "output_qk");
  }

  Name sink() {
    if (body_.reads(HeadSink)) return reshape(body_, body_.input(HeadSink), {1, -1, 1, 1});
    return body_.node().int_or("smooth_softmax", 0) == 1 ? body_.scalar(0, type_) : Name();
  }

  Name number(int64_t value) { return body_.scalar(static_cast<double>(value), DataType::Int64); }

  void split() {
    Name query = body_.input(Query), key = body_.input(Key), value = body_.input(Value);
    if (key.empty()) {
      const int64_t first = heads_ * head_size_, second = first + groups_ * head_size_;
      const Name joint = query;
      query = slice(body_, joint, 2, 0, first);
      key = slice(body_, joint, 2, first, second);
      value = slice(body_, joint, 2, second, second + groups_ * head_size_);
    }
    query_ = split_heads(body_, query, heads_);
    key_ = split_heads(body_, key, groups_);
    value_ = split_heads(body_, value, groups_);
  }

  void rotate_queries_and_keys() {
    Name positions = body_.input(Positions);
    if (positions.empty()) positions = body_.add("Add", {reshape(body_, past_, {-1, 1}), range(body_, queries_)});
    const auto look_up = [&](size_t cache) {
      return unsqueeze(body_, body_.add("Gather", {body_.input(cache), positions}), {1});
    };
    const int64_t half = body_.extent(Cos, 1);
    const Rotation rotation{look_up(Cos), look_up(Sin), half > 0 && 2 * half < head_size_ ? 2 * half : 0,
                            body_.node().int_or("rotary_interleaved", 0) != 0};
    query_ = rotate(body_, query_, rotation);
    key_ = rotate(body_, key_, rotation);
  }

  /// Returns keys or values, with the length that the model asks for: running fails where the past of the samples does
  /// not fill the tensor, for the engine moves them then.
  Name present(const Name& all) {
    const Name total = reshape(body_, cast_to(body_, body_.input(Total), DataType::Int64), {1});
    return body_.add("Reshape", {all, concat(body_, {body_.ints({0, 0}), total, body_.ints({head_size_})}, 0)});
  }

  /// Repeats each group for its heads: [B, groups, T, H] -> [B, heads, T, H].
  Name repeated(const Name& all) {
    if (groups_ == heads_) return all;
    const Name copies = body_.add("Expand", {unsqueeze(body_, all, {2}), body_.ints({1, 1, heads_ / groups_, 1, 1})});
    return reshape(body_, copies, {0, heads_, -1, head_size_});
  }

  /// bool [B, 1, S, T]: later keys, keys beyond a sample's own past, and keys in front of the window.
  Name hidden_keys() {
    Name hidden = later_keys(body_, query_, key_);
    const Name keys = extent_of(body_, key_, 2), index = range(body_, keys);
    const Name past = reshape(body_, past_, {-1, 1, 1, 1}), new_keys = body_.add("Sub", {keys, queries_});
    const Name old = body_.add("Less", {index, new_keys});
    if (body_.reads(PastKey)) {
      const Name unused = body_.add("And", {old, body_.add("Not", {body_.add("Less", {index, past})})});
      hidden = body_.add("Or", {hidden, unused});
    }
    const int64_t window = body_.node().int_or("local_window_size", -1);
    if (window < 0) return hidden;
    const Name origin = body_.add("Where", {old, past, new_keys});
    const Name query_index = reshape(body_, range(body_, queries_), {-1, 1});
    const Name distance = body_.add("Sub", {body_.add("Add", {origin, query_index}), index});
    return body_.add("Or", {hidden, body_.add("Not", {body_.add("Less", {distance, number(window)})})});
  }

  Body& body_;
  DataType type_;
  int64_t heads_, groups_, head_size_ = 0;
  Name queries_, past_, query_, key_, value_;
};

}  // namespace

void expand_group_query_attention(Body& body) { GroupQueries(body).run(); }

}  // namespace detent::expand
