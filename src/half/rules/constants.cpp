#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>

#include "half/float_rules.h"
#include "half/pair_scales.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

/// Relative error that a scalar may have. An epsilon of 1e-6 in FP16 is off by 3 %, which is harmless; 1e-12 becomes 0.
constexpr double kScalarError = 0.1;

std::string scalar_trouble(double number, const FloatFormat& format) {
  const double rounded = static_cast<double>(
      cast(cast(Tensor::from<float>({}, {static_cast<float>(number)}), format.type), DataType::Float32)
          .data<float>()[0]);
  if (number != 0 && rounded == 0) return fmt::format("{:.3g} becomes 0", number);
  if (std::abs(rounded - number) > kScalarError * std::abs(number))
    return fmt::format("{:.3g} becomes {:.3g}", number, rounded);
  return {};
}

/// True when the slot's content is added to something: what is too small there is lost in the sum as well.
bool is_added(const FloatDraft& draft, const Node& node, int slot) {
  const OpTraits& traits = traits_of(draft.graph(), node);
  return traits.kind == OpKind::Add || traits.kind == OpKind::Sub || slot == traits.bias_slot ||
         (traits.kind == OpKind::BatchNorm && (slot == 2 || slot == 3));
}

/// Returns why the constant does not fit the type; empty when it does.
std::string trouble_of_constant(const Tensor& constant, bool added, const FloatFormat& format) {
  const TensorReach reach = reach_of(constant, format);
  if (reach.amax > format.largest) return fmt::format("{:.3g} is beyond {:.5g}", reach.amax, format.largest);
  if (constant.shape().element_count() == 1) return scalar_trouble(constant.data<float>()[0], format);
  const double db = reach.rounding_db();
  if (!added && db < format.least_db())
    return fmt::format("too small for 16 bits (up to {:.3g}): rounding leaves an SQNR of {:.0f} dB", reach.amax, db);
  return {};
}

/// True for the scale of a pair.
bool is_scale(const FloatDraft& draft, const Node& node, int slot) {
  const OpKind kind = draft.kind(node);
  return slot == 1 && (kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear);
}

/// True for a bound of a Clip. A bound beyond the type's range has no effect there and is cut, so the node may be
/// 16-bit.
bool is_bound(const Node& node, int slot) { return node.domain.empty() && node.op_type == "Clip" && slot > 0; }

/// Keeps the operators that an epsilon guards: a root, if there is one, and the division, reciprocal or logarithm
/// behind it.
void keep_guarded(FloatDraft& draft, const Node& adding, const std::string& why) {
  if (!adding.output(0)) return;
  for (const Use& use : draft.graph().value(*adding.output(0)).uses) {
    if (use.slot < 0) continue;
    const Node& reader = draft.graph().node(use.node);
    const bool root = reader.domain.empty() && reader.op_type == "Sqrt";
    if (!root && !magnifies_zero(reader, use.slot)) continue;
    draft.keep({reader.id, "constant", kNoValue, 0, why + ", which guards it"});
    if (root) keep_guarded(draft, reader, why);
  }
}

}  // namespace

void constants(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    if (!value.is_constant || !draft.is_float(value.id)) continue;
    const Tensor& constant = *draft.graph().constant(value.id);
    for (const Use& use : value.uses) {
      if (use.slot < 0) continue;
      const Node& node = draft.graph().node(use.node);
      const std::string why = is_scale(draft, node, use.slot)
                                  ? trouble_of_scales(constant, draft.format())
                                  : trouble_of_constant(constant, is_added(draft, node, use.slot), draft.format());
      if (why.empty() || is_bound(node, use.slot)) continue;
      const std::string reason = "constant '" + value.name + "': " + why;
      draft.keep({use.node, "constant", value.id, reach_of(constant, draft.format()).amax, reason});
      if (draft.kind(node) == OpKind::Add || node.op_type == "Max") keep_guarded(draft, node, reason);
    }
  }
}

}  // namespace detent::half
