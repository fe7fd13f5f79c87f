#include "evaluate/channel_errors.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/float_type.h"
#include "evaluate/prepared_model.h"
#include "exec/runnable_part.h"
#include "ops/elementwise/activation.h"
#include "ops/self_gated.h"
#include "ops/traits.h"
#include "run/model_inputs.h"
#include "run/padding.h"
#include "run/run_over.h"
#include "run/sample_axes.h"
#include "run/workers.h"

namespace detent {

namespace {

/// The activation that a value passes before anything else reads it, directly or behind a sum with another value.
struct ActivationBehind {
  ValueId before{};  ///< input of the activation: the value, or the sum with the residual
  ValueId after{};   ///< its output
  ActivationSpec activation;
};

/// Returns the self-gated activation that alone reads a value: x * Sigmoid(x), or HardSwish as x * HardSigmoid(x).
std::optional<ActivationBehind> self_gated(const Graph& graph, ValueId value, const std::vector<Use>& uses) {
  if (uses.size() != 2) return std::nullopt;
  for (const Use& use : uses) {
    const Node& product = graph.node(use.node);
    const auto gated = self_gated_activation(graph, product);
    if (!gated || gated->input != value || gated->kind == OpKind::OtherActivation) continue;
    const Value& gate = graph.value(*graph.node(gated->gate).output(0));
    if (gate.uses.size() != 1 || gate.is_output) return std::nullopt;
    return ActivationBehind{
        value, *product.output(0),
        ActivationSpec{gated->kind, 1, 0,
                       gated->kind == OpKind::Silu ? UnaryFunction::Silu : UnaryFunction::HardSwish}};
  }
  return std::nullopt;
}

/// Returns nullopt where no activation reads the value, or another node reads it too.
std::optional<ActivationBehind> activation_behind(const Graph& graph, ValueId value) {
  const Value& read = graph.value(value);
  if (read.is_output || read.uses.empty()) return std::nullopt;
  if (const auto gated = self_gated(graph, value, read.uses)) return gated;
  if (read.uses.size() != 1) return std::nullopt;
  const Node& reader = graph.node(read.uses[0].node);
  if (const auto spec = activation_of(graph, reader)) return ActivationBehind{value, *reader.output(0), *spec};
  if (traits_of(graph, reader).kind != OpKind::Add) return std::nullopt;
  const ValueId sum = *reader.output(0);
  const auto behind = activation_behind(graph, sum);
  return behind && behind->before == sum ? behind : std::nullopt;
}

/// Returns the slope of the activation at each x by a central difference, a thousandth of the largest |x| wide. At a
/// kink that is a slope between those of its sides.
std::vector<float> slopes(const ActivationSpec& activation, std::span<const float> x) {
  float largest = 0;
  for (const float one : x)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  const float half = std::max(largest * 5e-4F, 1e-6F);
  std::vector<float> high(x.begin(), x.end()), low(x.begin(), x.end());
  for (float& one : high) one += half;
  for (float& one : low) one -= half;
  apply_activation(activation, high);
  apply_activation(activation, low);
  for (size_t i = 0; i < high.size(); ++i) high[i] = (high[i] - low[i]) / (2 * half);
  return high;
}

/// Sums for each channel.
struct ChannelSums {
  std::vector<double> errors, weights;
  bool alike = true;  ///< floats with the same channels in every sample and model

  void add(const ChannelSums& other) {
    if (errors.empty()) errors.resize(other.errors.size()), weights.resize(other.errors.size());
    alike = alike && other.alike && errors.size() == other.errors.size();
    for (size_t c = 0; alike && c < errors.size(); ++c) errors[c] += other.errors[c], weights[c] += other.weights[c];
  }
};

/// weights  by element; empty: all 1.
ChannelSums sums_of(const Tensor& expected, const Tensor& got, const std::vector<float>& weights, size_t from_right) {
  const Shape& shape = expected.shape();
  ChannelSums result;
  result.alike = is_floating_point(expected.type()) && got.shape() == shape && shape.rank() > from_right;
  if (!result.alike) return result;
  const size_t axis = shape.rank() - 1 - from_right;
  const Tensor wide = cast(expected, DataType::Float32), narrow = cast(got, DataType::Float32);
  const auto wanted = wide.data<float>(), had = narrow.data<float>();
  const auto channels = static_cast<size_t>(shape[axis]);
  result.errors.resize(channels);
  result.weights.resize(channels);
  const auto inner = static_cast<size_t>(shape.element_count(axis + 1, shape.rank()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t c = i / inner % channels;
    const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[i]);
    result.errors[c] += weight * (static_cast<double>(wanted[i]) - static_cast<double>(had[i]));
    result.weights[c] += weight;
  }
  return result;
}

/// The weight of each element of a value for the operators that read it.
class Weighing {
 public:
  Weighing(const Graph& graph, ValueId value, const ChannelsOf& channels) : behind_(activation_behind(graph, value)) {
    const auto range = channels.ranges.find(behind_ ? behind_->after : value);
    if (range != channels.ranges.end()) range_ = range->second;
    before_ = behind_ ? behind_->before : value;
  }

  /// The value whose content weights() takes.
  [[nodiscard]] ValueId before() const { return before_; }

  [[nodiscard]] std::vector<float> weights(const Tensor& before) const {
    if (!is_floating_point(before.type()) || (!behind_ && !range_)) return {};
    const Tensor wide = cast(before, DataType::Float32);
    const auto x = wide.data<float>();
    std::vector<float> weights(x.size(), 1.0F), after(x.begin(), x.end());
    if (behind_) {
      weights = slopes(behind_->activation, x);
      for (float& weight : weights) weight *= weight;
      apply_activation(behind_->activation, after);
    }
    for (size_t i = 0; range_ && i < after.size(); ++i)
      if (after[i] < range_->min || after[i] > range_->max) weights[i] = 0;
    return weights;
  }

 private:
  std::optional<ActivationBehind> behind_;
  std::optional<Range> range_;
  ValueId before_{};
};

/// Sets the weight of padding to 0. counted  by element; empty: all count.
void leave_out_padding(std::vector<float>& weights, const std::vector<uint8_t>& counted) {
  if (weights.empty()) weights.assign(counted.size(), 1.0F);
  for (size_t i = 0; i < std::min(weights.size(), counted.size()); ++i)
    if (counted[i] == 0) weights[i] = 0;
}

}  // namespace

std::optional<std::vector<double>> channel_errors(const Model& reference, const Model& variant,
                                                  const ChannelsOf& channels, const DataSource& source,
                                                  const RunSettings& settings) {
  const Graph& graph = reference.graph();
  const ValueId value = values_named(graph, {channels.value}).front();
  const Weighing weighing(graph, value, channels);
  std::vector<std::string> names{channels.value};
  if (weighing.before() != value) names.push_back(graph.value(weighing.before()).name);
  const int team = team_size(settings, source);
  const PreparedModel expected(reference, names, team), got(variant, {channels.value}, team);
  const std::vector<SampleAxis> axes = expected.sample_axes(source, settings);
  const SampleAxis where = axes.empty() ? SampleAxis{} : axes.front();
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    const BatchContent content = content_of(batch);
    const std::vector<Tensor> inputs = stack_samples(std::move(batch));
    const std::vector<Tensor> right = expected.run(inputs, pools[slot]), wrong = got.run(inputs, pools[slot]);
    const bool alike = right.back().shape() == right.front().shape();
    std::vector<float> weights = alike ? weighing.weights(right.back()) : std::vector<float>{};
    leave_out_padding(weights, counted_elements(right.front().shape(), content, where));
    return sums_of(right.front(), wrong.front(), weights, channels.from_right);
  };
  ChannelSums total;
  run_over<ChannelSums>({.source = source, .settings = settings, .refuse_empty = {}}, run,
                        [&](ChannelSums&& sums) { total.add(sums); });
  if (!total.alike || total.errors.empty()) return std::nullopt;
  for (size_t c = 0; c < total.errors.size(); ++c)
    total.errors[c] = total.weights[c] > 0 ? total.errors[c] / total.weights[c] : 0;
  return std::move(total.errors);
}

}  // namespace detent
