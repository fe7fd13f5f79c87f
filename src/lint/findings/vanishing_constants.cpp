//   wrong:   v + 0 (was 1e-12) --> Sqrt --> x / .          the guard is gone: a division by a variance of 0
//
// Constants that lost digits when they became 16-bit floats. The file does not contain their old numbers. A scalar
// counts if it guards a division, reciprocal, logarithm or power and is 0, or so few steps of the type from 0 that it
// may be off by more than a tenth. A table counts if the SQNR of its numbers is 15 dB below the type's usual SQNR.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/float_type.h"
#include "half/float_format.h"
#include "half/magnifies_zero.h"
#include "lint/findings/findings.h"
#include "lint/reading/qdq_node.h"
#include "ops/traits.h"

namespace detent::findings {
namespace {

/// Steps of the type below which a number may be off by more than a tenth: half a step of 5.
constexpr double kSteps = 5;
/// Margin in dB between the expected and the drawn noise of a table.
constexpr double kMarginDb = 3;

/// True when the node turns a 0 in that slot into an infinity; Pow does so only for negative exponents.
bool turns_zero_infinite(const Graph& graph, const Node& node, int slot) {
  if (!magnifies_zero(node, slot)) return false;
  const Tensor* exponent = node.op_type == "Pow" ? readable_constant(graph, node.input(1)) : nullptr;
  return !exponent || exponent->shape().element_count() != 1 ||
         cast(to_plain(*exponent), DataType::Float32).data<float>()[0] < 0;
}

/// Returns the node that divides by the value, or takes its logarithm or power, behind roots and copies; nullptr when
/// there is none.
const Node* guarded_reader(const Graph& graph, MaybeValue value, int steps = 0) {
  constexpr int kLongest = 8;
  if (steps > kLongest || !value) return nullptr;
  for (const Use& use : graph.value(*value).uses) {
    if (use.slot < 0) continue;
    const Node& node = graph.node(use.node);
    if (turns_zero_infinite(graph, node, use.slot)) return &node;
    const OpTraits& traits = traits_of(graph, node);
    const bool passes = traits.kind == OpKind::Sqrt || traits.kind == OpKind::Cast || traits.commutes;
    if (const Node* end = passes && use.slot == 0 ? guarded_reader(graph, node.output(0), steps + 1) : nullptr)
      return end;
  }
  return nullptr;
}

bool is_guard(const Graph& graph, const Node& node, int slot) {
  const OpKind kind = traits_of(graph, node).kind;
  return node.domain.empty() && (kind == OpKind::Add || kind == OpKind::Max || (kind == OpKind::Clip && slot == 1));
}

void check_scalar(const Graph& graph, const Value& value, double number, const FloatFormat& format, FindingLog& log) {
  if (std::abs(number) >= kSteps * format.smallest) return;
  for (const Use& use : value.uses) {
    if (use.slot < 0) continue;
    const Node& node = graph.node(use.node);
    const Node* end = turns_zero_infinite(graph, node, use.slot) ? &node : nullptr;
    if (!end && is_guard(graph, node, use.slot)) end = guarded_reader(graph, node.output(0));
    if (!end) continue;
    const std::string type(short_name(format.type));
    const bool gone = number == 0;
    log.add(node.name,
            fmt::format("constant '{}' is {:.3g} in {}{}, and {} '{}' relies on it", value.name, number, type,
                        gone ? "" : ", which may be off by more than a tenth", end->op_type, end->name),
            fmt::format("keep {} and the operator that it guards in FP32, or write {:.2g} or more", node.op_type,
                        kSteps * format.smallest),
            {}, gone ? FindingLevel::Warning : FindingLevel::Note);
  }
}

/// Returns the expected SQNR in dB of rounding such numbers to the type; infinity for zeros only.
double expected_db(const Tensor& table, const FloatFormat& format) {
  const Tensor wide = cast(to_plain(table), DataType::Float32);
  const double relative = std::pow(10, -format.usual_db / 10);
  double signal = 0, noise = 0;
  for (const float x : wide.data<float>()) {
    const double power = static_cast<double>(x) * static_cast<double>(x);
    if (x == 0 || !std::isfinite(x)) continue;
    signal += power;
    noise += std::max(relative * power, format.smallest * format.smallest / 12);
  }
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

/// True when the value is only added: small numbers are lost in the sum as well.
bool is_added(const Graph& graph, const Use& use) {
  const Node& node = graph.node(use.node);
  const OpTraits& traits = traits_of(graph, node);
  return traits.kind == OpKind::Add || traits.kind == OpKind::Sub || traits.kind == OpKind::Clip ||
         use.slot == traits.bias_slot || (traits.kind == OpKind::BatchNorm && (use.slot == 2 || use.slot == 3)) ||
         (use.slot > 0 && (traits.kind == OpKind::QuantizeLinear || traits.kind == OpKind::DequantizeLinear));
}

void check_table(const LintView& view, const Value& value, const Tensor& table, const FloatFormat& format,
                 FindingLog& log) {
  const Graph& graph = view.file().graph;
  const double db = expected_db(table, format);
  if (db >= format.least_db() - kMarginDb) return;
  for (const Use& use : value.uses) {
    if (use.slot < 0 || is_added(graph, use)) continue;
    const Node& node = graph.node(use.node);
    const MaybeNode known = view.graph().find_node(node.name);
    const bool layer = known && view.facts().is_weighted(*known);
    log.add(node.name,
            fmt::format("constant '{}' is so small that rounding to {} leaves an SQNR of about {:.0f} dB", value.name,
                        short_name(format.type), db),
            "keep the node in FP32, or use BF16, which has the range of FP32",
            layer ? std::vector<NodeId>{*known} : std::vector<NodeId>{});
    return;
  }
}

}  // namespace

void vanishing_constant(const LintView& view, FindingLog& log) {
  const Graph& graph = view.file().graph;
  for (const Value& value : graph.values()) {
    const Tensor* tensor = value.is_constant ? readable_constant(graph, value.id) : nullptr;
    if (!tensor || !is_half(tensor->type())) continue;
    const FloatFormat format = float_format(tensor->type());
    if (tensor->shape().element_count() == 1)
      check_scalar(graph, value, static_cast<double>(cast(to_plain(*tensor), DataType::Float32).data<float>()[0]),
                   format, log);
    else
      check_table(view, value, *tensor, format, log);
  }
}

}  // namespace detent::findings
