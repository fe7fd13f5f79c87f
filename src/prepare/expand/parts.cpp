#include "prepare/expand/parts.h"

#include <limits>
#include <numeric>

#include "core/onnx_type.h"

namespace detent::expand {

Name transpose(Body& body, const Name& value, std::vector<int64_t> perm) {
  return body.add("Transpose", {value}, {{"perm", std::move(perm)}});
}

Name reshape(Body& body, const Name& value, std::vector<int64_t> extents) {
  return body.add("Reshape", {value, body.ints(std::move(extents))});
}

Name unsqueeze(Body& body, const Name& value, std::vector<int64_t> axes) {
  if (body.opset() < 13) return body.add("Unsqueeze", {value}, {{"axes", std::move(axes)}});
  return body.add("Unsqueeze", {value, body.ints(std::move(axes))});
}

Name concat(Body& body, Names values, int64_t axis) { return body.add("Concat", std::move(values), {{"axis", axis}}); }

Name slice(Body& body, const Name& value, int64_t axis, const Name& first, const Name& last, int64_t step) {
  body.need_opset(10);
  return body.add("Slice", {value, first, last, body.ints({axis}), step == 1 ? Name() : body.ints({step})});
}

Name slice(Body& body, const Name& value, int64_t axis, int64_t first, int64_t last, int64_t step) {
  return slice(body, value, axis, body.ints({first}), body.ints({last}), step);
}

Name take(Body& body, const Name& value, int64_t axis, int64_t index) {
  return body.add("Gather", {value, body.scalar(static_cast<double>(index), DataType::Int64)}, {{"axis", axis}});
}

Name reduce(Body& body, const char* op_type, const Name& value, std::vector<int64_t> axes, bool keepdims) {
  const Attribute keep{"keepdims", int64_t{keepdims}};
  const int64_t axes_are_an_input_since = std::string_view(op_type) == "ReduceSum" ? 13 : 18;
  if (body.opset() < axes_are_an_input_since) return body.add(op_type, {value}, {{"axes", std::move(axes)}, keep});
  return body.add(op_type, {value, body.ints(std::move(axes))}, {keep});
}

Name cast_to(Body& body, const Name& value, DataType type) {
  return body.add("Cast", {value}, {{"to", static_cast<int64_t>(onnx_type_of(type))}});
}

Name extent_of(Body& body, const Name& value, int64_t axis) {
  return body.add("Gather", {body.add("Shape", {value}), body.ints({axis})}, {{"axis", int64_t{0}}});
}

Name range(Body& body, const Name& count) {
  const Name last = reshape(body, count, {});
  return body.add("Range", {body.scalar(0, DataType::Int64), last, body.scalar(1, DataType::Int64)});
}

Name swap_last(Body& body, const Name& value, std::optional<size_t> rank) {
  if (!rank) return body.add("Einsum", {value}, {{"equation", std::string("...ij->...ji")}});
  if (*rank < 2) return value;
  std::vector<int64_t> perm(*rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[*rank - 1], perm[*rank - 2]);
  return transpose(body, value, std::move(perm));
}

namespace {

/// An activation of one input whose numbers are attributes.
struct NamedActivation {
  std::string_view name;
  std::vector<const char*> attributes;
};

const NamedActivation kActivations[] = {{"Relu", {}},
                                        {"Tanh", {}},
                                        {"Sigmoid", {}},
                                        {"Softplus", {}},
                                        {"Softsign", {}},
                                        {"HardSwish", {}},
                                        {"LeakyRelu", {"alpha"}},
                                        {"Elu", {"alpha"}},
                                        {"ThresholdedRelu", {"alpha"}},
                                        {"HardSigmoid", {"alpha", "beta"}},
                                        {"Selu", {"alpha", "gamma"}}};

}  // namespace

Name activate(Body& body, const Name& value, const FusedActivation& activation, DataType type) {
  const auto& [name, numbers] = activation;
  if (name.empty() || name == "Identity") return value;
  if (name == "Clip") {
    constexpr float kLargest = std::numeric_limits<float>::max();
    const float low = numbers.empty() ? -kLargest : numbers[0], high = numbers.size() < 2 ? kLargest : numbers[1];
    if (body.opset() < 11) return body.add("Clip", {value}, {{"min", low}, {"max", high}});
    const auto bound = [&](float one) { return body.scalar(static_cast<double>(one), type); };
    return body.add("Clip", {value, bound(low), bound(high)});
  }
  for (const NamedActivation& known : kActivations) {
    if (known.name != name) continue;
    std::vector<Attribute> attributes;
    for (size_t i = 0; i < known.attributes.size() && i < numbers.size(); ++i)
      attributes.push_back({known.attributes[i], numbers[i]});
    return body.add(name, {value}, std::move(attributes));
  }
  refuse("activation '" + name + "' is not supported");
}

}  // namespace detent::expand
