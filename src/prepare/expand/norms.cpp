#include <numeric>

#include "prepare/expand/expanders.h"
#include "prepare/expand/parts.h"

namespace detent::expand {

namespace {

constexpr float kNormEpsilon = 1e-5F, kSkipEpsilon = 1e-12F;

/// Returns the axes that a norm reduces, from `axis` to the last one.
std::vector<int64_t> norm_axes(const Body& body, int64_t axis) {
  const int64_t first = axis < 0 ? axis : axis - static_cast<int64_t>(body.known_rank(0));
  if (first >= 0 || first < -static_cast<int64_t>(Shape::kMaxRank))
    refuse("attribute axis=" + std::to_string(axis) + " does not fit its input");
  std::vector<int64_t> axes(static_cast<size_t>(-first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// value * scale / sqrt(mean(value^2) + epsilon), as exporters write a norm. Halves are computed in float.
Name scaled_by_rms(Body& body, const Name& value, const Name& scale, const std::vector<int64_t>& axes, float epsilon,
                   DataType type) {
  const DataType inside = is_half(type) ? DataType::Float32 : type;
  const Name square = body.add("Pow", {value, body.scalar(2, inside)});
  const Name mean = reduce(body, "ReduceMean", square, axes);
  const Name deviation = body.add("Sqrt", {body.add("Add", {mean, body.scalar(epsilon, inside)})});
  const Name normal = body.add("Div", {value, deviation});
  return body.add("Mul", {inside == type ? normal : cast_to(body, normal, type), scale});
}

Name rms_norm(Body& body, const Name& value, const Name& scale, const std::vector<int64_t>& axes, float epsilon,
              DataType type) {
  return scaled_by_rms(body, is_half(type) ? cast_to(body, value, DataType::Float32) : value, scale, axes, epsilon,
                       type);
}

/// Opset 17 has the operator. Below it the norm is written out, as exporters do.
Name layer_norm(Body& body, const Name& value, const Name& scale, const Name& shift, const std::vector<int64_t>& axes,
                float epsilon, DataType type) {
  if (body.opset() >= 17)
    return body.add("LayerNormalization", {value, scale, shift}, {{"axis", axes.front()}, {"epsilon", epsilon}});
  const Name x = is_half(type) ? cast_to(body, value, DataType::Float32) : value;
  const Name centered = body.add("Sub", {x, reduce(body, "ReduceMean", x, axes)});
  const Name scaled = scaled_by_rms(body, centered, scale, axes, epsilon, type);
  return shift.empty() ? scaled : body.add("Add", {scaled, shift});
}

void refuse_training_outputs(const Body& body) {
  body.refuse_output(1, "mean");
  body.refuse_output(2, "inv_std_var");
}

/// The sum of input, skip and the bias in `slot`, which is output 3.
Name skip_sum(Body& body, size_t bias_slot) {
  Name sum = body.add("Add", {body.input(0), body.input(1)});
  if (body.reads(bias_slot)) sum = body.add("Add", {sum, body.input(bias_slot)});
  return sum;
}

}  // namespace

void expand_layer_norm(Body& body) {
  refuse_training_outputs(body);
  const Node& node = body.node();
  body.write(0, layer_norm(body, body.input(0), body.input(1), body.input(2), norm_axes(body, node.int_or("axis", -1)),
                           node.float_or("epsilon", kNormEpsilon), body.type(0)));
}

void expand_rms_norm(Body& body) {
  body.refuse_output(1, "inv_std_var");
  const Node& node = body.node();
  body.write(0, rms_norm(body, body.input(0), body.input(1), norm_axes(body, node.int_or("axis", -1)),
                         node.float_or("epsilon", kNormEpsilon), body.type(0)));
}

void expand_skip_layer_norm(Body& body) {
  refuse_training_outputs(body);
  const Name sum = skip_sum(body, 4);
  const Name normal = layer_norm(body, sum, body.input(2), body.input(3), {-1},
                                 body.node().float_or("epsilon", kSkipEpsilon), body.type(0));
  body.write(0, normal);
  body.write(3, sum);
}

void expand_skip_rms_norm(Body& body) {
  refuse_training_outputs(body);
  const Name sum = skip_sum(body, 3);
  const Name normal =
      rms_norm(body, sum, body.input(2), {-1}, body.node().float_or("epsilon", kSkipEpsilon), body.type(0));
  body.write(0, normal);
  body.write(3, sum);
}

void expand_embed_layer_norm(Body& body) {
  enum { Words, Segments, WordTable, PositionTable, SegmentTable, Scale, Shift, Mask, Positions };
  const auto look_up = [&](const Name& table, const Name& ids) { return body.add("Gather", {table, ids}); };
  const Name words = look_up(body.input(WordTable), body.input(Words));
  const Name positions = body.reads(Positions) ? look_up(body.input(PositionTable), body.input(Positions))
                                               : slice(body, body.input(PositionTable), 0, body.ints({0}),
                                                       extent_of(body, body.input(Words), 1));
  Name sum = body.add("Add", {words, positions});
  if (body.reads(SegmentTable) && body.reads(Segments))
    sum = body.add("Add", {sum, look_up(body.input(SegmentTable), body.input(Segments))});
  const Name normal = layer_norm(body, sum, body.input(Scale), body.input(Shift), {-1},
                                 body.node().float_or("epsilon", kSkipEpsilon), body.type(WordTable));
  body.write(0, normal);
  if (body.writes(1)) {
    // The number of words in front of the padding.
    if (body.reads(Mask)) {
      const Name words_there = body.add("Equal", {body.input(Mask), body.scalar(1, DataType::Int32)});
      body.write(1, reduce(body, "ReduceSum", cast_to(body, words_there, DataType::Int32), {1}, false));
    } else {
      body.write(1, body.add("ConstantOfShape", {extent_of(body, body.input(Words), 0)},
                             {{"value", Tensor::from<int32_t>(Shape{1}, {0})}}));
    }
  }
  body.write(2, sum);
}

}  // namespace detent::expand
