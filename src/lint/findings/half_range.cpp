// 16-bit floats that are not finite or close to the type's limit: constants in the file and, with samples, the outputs
// of nodes.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "half/float_format.h"
#include "lint/findings/findings.h"
#include "lint/reading/qdq_node.h"
#include "ops/traits.h"

namespace detent::findings {
namespace {

struct Numbers {
  double amax = 0;  // of finite numbers
  size_t infinite = 0, negative_infinite = 0, nan = 0, beyond = 0;
};

Numbers numbers_of(const Tensor& tensor, double largest) {
  const Tensor wide = cast(to_plain(tensor), DataType::Float32);
  Numbers numbers;
  for (const float x : wide.data<float>()) {
    const double size = std::abs(static_cast<double>(x));
    numbers.nan += std::isnan(x);
    numbers.infinite += std::isinf(x);
    numbers.negative_infinite += std::isinf(x) && x < 0;
    numbers.beyond += std::isfinite(x) && size > largest;
    if (std::isfinite(x)) numbers.amax = std::max(numbers.amax, size);
  }
  return numbers;
}

/// True for a mask: -Inf there becomes 0 in a Softmax.
bool is_mask(const Graph& graph, const Value& value, const Numbers& numbers) {
  return numbers.nan == 0 && numbers.infinite == numbers.negative_infinite &&
         std::ranges::all_of(value.uses, [&](const Use& use) {
           const std::string& op = graph.node(use.node).op_type;
           return use.slot >= 0 && (op == "Where" || op == "Add" || op == "Max" || op == "Expand");
         });
}

bool is_bound(const Graph& graph, const Value& value) {
  return std::ranges::all_of(value.uses, [&](const Use& use) {
    return use.slot > 0 && traits_of(graph, graph.node(use.node)).kind == OpKind::Clip;
  });
}

std::string reader_name(const Graph& graph, const Value& value) {
  const auto use = std::ranges::find_if(value.uses, [](const Use& one) { return one.slot >= 0; });
  return use == value.uses.end() ? value.name : graph.node(use->node).name;
}

constexpr const char* kCure =
    "keep the node in FP32: `detent cast` and `detent quantize --float-type` do so where samples require it";

void check_half_constant(const LintedFile& file, const Value& value, const Tensor& tensor, FindingLog& log) {
  const Graph& graph = file.graph;
  const std::string type(short_name(tensor.type()));
  const Numbers numbers = numbers_of(tensor, float_format(tensor.type()).largest);
  const size_t bad = numbers.infinite + numbers.nan;
  if (bad == 0 || value.uses.empty() || is_bound(graph, value)) return;
  const bool mask = is_mask(graph, value, numbers);
  log.add(reader_name(graph, value),
          fmt::format("reads constant '{}', {} of {} numbers of which are {} in {}", value.name, bad,
                      tensor.shape().element_count(), numbers.nan > 0 ? "NaN" : "Inf", type) +
              (mask ? "; it looks like a mask: a fully masked row becomes NaN" : ""),
          mask ? "write the type's smallest number instead, if whole rows can be masked" : kCure, {},
          mask ? FindingLevel::Note : FindingLevel::Warning);
}

/// Checks a constant that a Cast converts to 16 bits.
void check_cast_constant(const LintedFile& file, const Node& cast, FindingLog& log) {
  const DataType to = data_type_from_onnx(cast.int_or("to", 1));
  const Tensor* tensor = readable_constant(file.graph, cast.input(0));
  if (cast.op_type != "Cast" || !is_half(to) || !tensor || !is_floating_point(tensor->type())) return;
  const FloatFormat format = float_format(to);
  const Numbers numbers = numbers_of(*tensor, format.largest);
  if (numbers.beyond == 0) return;
  log.add(cast.name,
          fmt::format("casts constant '{}' to {}, where {} of its numbers (up to {:.4g}) become Inf",
                      file.graph.value(*cast.input(0)).name, short_name(to), numbers.beyond, numbers.amax),
          kCure, {});
}

void check_measured(const LintView& view, FindingLog& log) {
  const Graph& graph = view.file().graph;
  for (const auto& [id, seen] : view.file().measured) {
    const Value& value = graph.value(id);
    const double largest = float_format(seen.type).largest;
    const Node& maker = graph.node(*value.producer);
    const MaybeNode known = view.graph().find_node(maker.name);
    const std::vector<NodeId> layers =
        known && view.facts().is_weighted(*known) ? std::vector<NodeId>{*known} : std::vector<NodeId>{};
    // Exactly the largest number is a bound in the model, not a size that was reached.
    if (seen.begins_here)
      log.add(maker.name,
              fmt::format("writes '{}' with {} Inf and {} NaN in the samples, from finite numbers", value.name,
                          seen.infinite, seen.nan),
              kCure, layers);
    else if (seen.amax * kHeadroom > largest && seen.amax < largest)
      log.add(maker.name,
              fmt::format("writes '{}', which reaches {:.5g} in the samples: more than half of {}'s {:.5g}", value.name,
                          seen.amax, short_name(seen.type), largest),
              kCure, layers);
  }
}

}  // namespace

void overflow_in_half(const LintView& view, FindingLog& log) {
  const LintedFile& file = view.file();
  for (const Value& value : file.graph.values()) {
    const Tensor* tensor = value.is_constant ? readable_constant(file.graph, value.id) : nullptr;
    if (tensor && is_half(tensor->type())) check_half_constant(file, value, *tensor, log);
  }
  for (const Node& node : file.graph.nodes()) check_cast_constant(file, node, log);
  check_measured(view, log);
}

}  // namespace detent::findings
