#include "ops/product/recurrent_settings.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "detent/base/error.h"
#include "ops/operands.h"

namespace detent {

namespace {

using Function = CellActivation::Function;

/// The function that a name stands for, with the defaults of the operator of that name. Source: ONNX operators, RNN.
struct KnownActivation {
  std::string_view name;  // lower case: names are written in any
  Function function;
  UnaryFunction unary;
  bool takes_alpha, takes_beta;
  float alpha, beta;
};

constexpr KnownActivation kKnown[] = {
    {"relu", Function::Unary, UnaryFunction::Relu, false, false, 0, 0},
    {"tanh", Function::Unary, UnaryFunction::Tanh, false, false, 0, 0},
    {"sigmoid", Function::Unary, UnaryFunction::Sigmoid, false, false, 0, 0},
    {"affine", Function::Affine, {}, true, true, 1, 0},
    {"leakyrelu", Function::Unary, UnaryFunction::LeakyRelu, true, false, 0.01F, 0},
    {"thresholdedrelu", Function::Unary, UnaryFunction::ThresholdedRelu, true, false, 1, 0},
    {"scaledtanh", Function::ScaledTanh, UnaryFunction::Tanh, true, true, 1, 1},
    {"hardsigmoid", Function::Unary, UnaryFunction::HardSigmoid, true, true, 0.2F, 0.5F},
    {"elu", Function::Unary, UnaryFunction::Elu, true, false, 1, 0},
    {"softsign", Function::Unary, UnaryFunction::Softsign, false, false, 0, 0},
    {"softplus", Function::Unary, UnaryFunction::Softplus, false, false, 0, 0},
};

std::string lower(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// A reader of names and their parameters; activation_alpha and activation_beta list only what is needed, in that
/// order.
class ActivationReader {
 public:
  explicit ActivationReader(const Node& node)
      : alphas_(node.floats_or("activation_alpha", {})), betas_(node.floats_or("activation_beta", {})) {}

  CellActivation read(const std::string& name) {
    const auto* known = std::ranges::find(kKnown, lower(name), &KnownActivation::name);
    if (known == std::end(kKnown)) throw Error(ErrorCode::Unsupported, "attribute activations names '" + name + "'");
    const float alpha = known->takes_alpha ? next(alphas_, next_alpha_, known->alpha) : known->alpha;
    const float beta = known->takes_beta ? next(betas_, next_beta_, known->beta) : known->beta;
    return {known->function, {known->unary, alpha, beta}, alpha, beta};
  }

 private:
  static float next(const std::vector<float>& given, size_t& at, float fallback) {
    return at < given.size() ? given[at++] : fallback;
  }

  std::vector<float> alphas_, betas_;
  size_t next_alpha_ = 0, next_beta_ = 0;
};

/// Returns one entry per direction: whether it goes backwards.
std::vector<bool> directions_of(const Node& node) {
  enum class Direction : uint8_t { Forward, Reverse, Both };
  constexpr Named<Direction> kDirections[] = {
      {"forward", Direction::Forward}, {"reverse", Direction::Reverse}, {"bidirectional", Direction::Both}};
  const Direction direction = value_named(node, "direction", "forward", kDirections);
  return direction == Direction::Both ? std::vector<bool>{false, true} : std::vector{direction == Direction::Reverse};
}

std::vector<std::string> default_activations(CellKind kind) {
  switch (kind) {
    case CellKind::Rnn: return {"Tanh"};
    case CellKind::Gru: return {"Sigmoid", "Tanh"};
    default: return {"Sigmoid", "Tanh", "Tanh"};
  }
}

}  // namespace

void CellActivation::apply(std::span<float> values, float clip) const {
  if (clip != std::numeric_limits<float>::infinity())
    for (float& x : values) x = std::clamp(x, -clip, clip);
  if (function == Function::ScaledTanh)
    for (float& x : values) x *= beta;
  if (function != Function::Affine)
    apply_unary(function == Function::ScaledTanh ? UnarySpec{UnaryFunction::Tanh} : unary, values.data(), values.data(),
                values.size());
  if (function == Function::ScaledTanh)
    for (float& x : values) x *= alpha;
  if (function == Function::Affine)
    for (float& x : values) x = alpha * x + beta;
}

RecurrentSettings recurrent_settings(const Node& node, CellKind kind) {
  RecurrentSettings settings;
  settings.kind = kind;
  settings.gates = kind == CellKind::Rnn ? 1 : kind == CellKind::Gru ? 3 : 4;
  settings.backwards = directions_of(node);
  settings.batch_first = node.int_or("layout", 0) != 0;
  settings.linear_before_reset = node.int_or("linear_before_reset", 0) != 0;
  settings.coupled_forget = node.int_or("input_forget", 0) != 0;
  if (const float clip = node.float_or("clip", 0); clip > 0) settings.clip = clip;
  std::vector<std::string> names;
  if (const AttributeValue* given = node.find_attribute("activations"))
    if (const auto* list = std::get_if<std::vector<std::string>>(given)) names = *list;
  const std::vector<std::string> usual = default_activations(kind);
  if (names.empty())
    for (size_t direction = 0; direction < settings.backwards.size(); ++direction)
      names.insert(names.end(), usual.begin(), usual.end());
  if (names.size() != usual.size() * settings.backwards.size())
    throw Error(ErrorCode::InvalidModel, "attribute activations holds " + std::to_string(names.size()) +
                                             " names, expected " +
                                             std::to_string(usual.size() * settings.backwards.size()));
  ActivationReader reader(node);
  for (size_t direction = 0; direction < settings.backwards.size(); ++direction) {
    auto& functions = settings.activations.emplace_back();
    for (size_t i = 0; i < usual.size(); ++i) functions[i] = reader.read(names[direction * usual.size() + i]);
  }
  return settings;
}

}  // namespace detent
