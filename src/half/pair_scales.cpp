#include "half/pair_scales.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/name_source.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Relative change of a scale that moves the largest 8-bit code by half a step.
constexpr double kHalfStep = 1.0 / 254;

Tensor rounded(const Tensor& scales, const FloatFormat& format) {
  const Tensor plain = to_plain(scales), near = cast(cast(plain, format.type), DataType::Float32);
  std::vector<float> numbers(near.data<float>().begin(), near.data<float>().end());
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] == 0 && plain.data<float>()[i] > 0) numbers[i] = static_cast<float>(format.smallest);
  return Tensor::from<float>(scales.shape(), numbers);
}

/// The change of one tensor of scales.
struct ScaleChange {
  size_t changed = 0, small = 0;
  double largest = 0;   ///< as a fraction of the scale
  std::string trouble;  ///< of the first scale that does not fit
};

ScaleChange change_of(const Tensor& before, const Tensor& after, const FloatFormat& format) {
  const Tensor plain = to_plain(before);
  const auto x = plain.data<float>(), y = after.data<float>();
  double top = 0;
  for (const float scale : x) top = std::max(top, std::abs(static_cast<double>(scale)));
  ScaleChange change;
  for (size_t i = 0; i < x.size(); ++i) {
    const double scale = std::abs(static_cast<double>(x[i])), off = std::abs(static_cast<double>(x[i]) - y[i]);
    if (off == 0) continue;
    ++change.changed;
    if (off <= kHalfStep * scale)
      change.largest = std::max(change.largest, off / scale);
    else if (off <= std::ldexp(top, -format.digits - 1))
      ++change.small;
    else if (change.trouble.empty())
      change.trouble = fmt::format("scale {:.3g} becomes {:.3g}", x[i], y[i]);
  }
  return change;
}

class ScaleRounding {
 public:
  ScaleRounding(const Graph& graph, const FloatFormat& format) : graph_(graph), format_(format), names_(graph) {}

  RoundedScales run() {
    for (const Value& value : graph_.values())
      if (value.is_constant) look_at(value);
    if (!result_.patch.empty()) result_.patch.reason = "round the scales";
    return std::move(result_);
  }

 private:
  /// True for a reading as the scale of a pair whose codes are not computed from a constant.
  [[nodiscard]] bool is_scale(const Use& use) const {
    if (use.slot != 1) return false;
    const Node& node = graph_.node(use.node);
    const OpKind kind = traits_of(graph_, node).kind;
    return kind == OpKind::DequantizeLinear ||
           (kind == OpKind::QuantizeLinear && !graph_.value(*node.input(0)).is_constant);
  }

  void look_at(const Value& value) {
    const auto readers = std::ranges::count_if(value.uses, [&](const Use& use) { return is_scale(use); });
    if (readers == 0) return;
    const Tensor* scales = graph_.constant(value.id);
    if (!scales || scales->type() != DataType::Float32) return;
    Tensor exact = rounded(*scales, format_);
    const ScaleChange change = change_of(*scales, exact, format_);
    KeptPairs& pairs = result_.pairs;
    const auto count = static_cast<size_t>(scales->element_count());
    pairs.scales += count;
    if (!format_.half_scales || !change.trouble.empty()) {
      pairs.float32_scales += count;
      return;
    }
    if (change.changed == 0) return;
    pairs.rounded_scales += change.changed;
    pairs.small_scales += change.small;
    pairs.largest_change = std::max(pairs.largest_change, change.largest);
    replace(value, std::move(exact), readers == std::ssize(value.uses) && !value.is_output);
  }

  /// Gives the pairs the scales; other readers of the constant keep it.
  void replace(const Value& value, Tensor exact, bool only_pairs) {
    if (only_pairs) {
      result_.patch.replace_constants.emplace_back(value.name, std::move(exact));
      return;
    }
    const std::string copy = names_.fresh(value.name + "_rounded");
    result_.patch.add_initializers.emplace_back(copy, std::move(exact));
    for (const Use& use : value.uses)
      if (is_scale(use)) result_.patch.rewire.push_back({graph_.node(use.node).name, use.slot, copy});
  }

  const Graph& graph_;
  FloatFormat format_;
  NameSource names_;
  RoundedScales result_;
};

}  // namespace

std::string trouble_of_scales(const Tensor& scales, const FloatFormat& format) {
  return change_of(scales, rounded(scales, format), format).trouble;
}

RoundedScales round_scales(const Graph& graph, const FloatFormat& format) { return ScaleRounding(graph, format).run(); }

}  // namespace detent
