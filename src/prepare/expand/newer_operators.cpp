#include <array>

#include "prepare/expand/expanders.h"
#include "prepare/expand/parts.h"

namespace detent::expand {

namespace {

/// Normalizes groups of channels as InstanceNormalization does with the channels of [N, groups, rest], then scales and
/// shifts by the channel. Halves are computed in float, as the operator's stash_type wants.
void expand_group_norm(Body& body) {
  body.refuse_unless("stash_type", 1);
  constexpr float kEpsilon = 1e-5F;
  const size_t rank = body.known_rank(0);
  const int64_t groups = body.count("num_groups");
  const int64_t channels = rank < 2 ? 0 : body.extent(0, 1);
  if (channels < 1 || groups < 1 || channels % groups != 0)
    refuse("attribute num_groups=" + std::to_string(groups) + " does not fit its input");
  const DataType type = body.type(0), inside = is_half(type) ? DataType::Float32 : type;
  const auto in_type = [&](const Name& value, DataType wanted) {
    return inside == type ? value : cast_to(body, value, wanted);
  };
  const std::vector<float> ones(static_cast<size_t>(groups), 1), zeros(static_cast<size_t>(groups), 0);
  const auto numbers = [&](const char* word, const std::vector<float>& values) {
    return body.constant_of(word, cast(Tensor::from<float>(Shape{groups}, values), inside));
  };
  const Name x = in_type(body.input(0), inside);
  const Name normal = body.add("InstanceNormalization",
                               {reshape(body, x, {0, groups, -1}), numbers("ones", ones), numbers("zeros", zeros)},
                               {{"epsilon", body.node().float_or("epsilon", kEpsilon)}});
  const Name back = in_type(body.add("Reshape", {normal, body.add("Shape", {body.input(0)})}), type);
  std::vector<int64_t> per_channel(rank - 1, 1);
  per_channel.front() = -1;
  const Name scaled = body.add("Mul", {back, reshape(body, body.input(1), per_channel)});
  body.write(0, body.add("Add", {scaled, reshape(body, body.input(2), per_channel)}));
}

void expand_newer_gelu(Body& body) {
  body.node().string_or("approximate", "none") == "tanh" ? expand_fast_gelu(body) : expand_gelu(body);
}

void expand_swish(Body& body) {
  const Name x = body.input(0);
  const float alpha = body.node().float_or("alpha", 1);
  const Name scaled = alpha == 1 ? x : body.add("Mul", {x, body.scalar(static_cast<double>(alpha), body.type(0))});
  body.write(0, body.add("Mul", {x, body.add("Sigmoid", {scaled})}));
}

void expand_newer_rms_norm(Body& body) {
  body.refuse_unless("stash_type", 1);
  expand_rms_norm(body);
}

/// x * tanh(ln(1 + e^x)).
void expand_mish(Body& body) {
  const Name x = body.input(0);
  body.write(0, body.add("Mul", {x, body.add("Tanh", {body.add("Softplus", {x})})}));
}

// Source: ONNX docs/Changelog.md.
constexpr std::array kNewer{NewerOperator{"Mish", 18, expand_mish}, NewerOperator{"Gelu", 20, expand_newer_gelu},
                            NewerOperator{"GroupNormalization", 21, expand_group_norm},
                            NewerOperator{"RMSNormalization", 23, expand_newer_rms_norm},
                            NewerOperator{"Swish", 24, expand_swish}};

}  // namespace

std::span<const NewerOperator> newer_operators() { return kNewer; }

}  // namespace detent::expand
