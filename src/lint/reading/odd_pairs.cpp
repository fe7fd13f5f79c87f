#include "lint/reading/odd_pairs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "detent/base/error.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Returns what is wrong with a scale; "" for a usable one, and for 0.
std::string trouble_of(float scale, DataType codes) {
  const double span = codes == DataType::Float8E4M3FN ? 448 : std::ldexp(1.0, static_cast<int>(bit_size(codes)));
  if (!std::isfinite(scale)) return "is no finite number";
  if (scale < 0) return "is negative";
  // The bias of a layer has the product of two scales and 32 bits, of which it uses few.
  const bool reaches = codes == DataType::Int32 || std::isfinite(static_cast<float>(scale * span));
  return reaches ? "" : "is so large that its codes stand for infinite numbers";
}

void check_scales_of(const Graph& graph, const Node& node, const QdqNode& pair, bool negative) {
  for (size_t i = 0; i < pair.scales.size(); ++i) {
    const std::string trouble = trouble_of(negative ? std::abs(pair.scales[i]) : pair.scales[i], pair.codes);
    if (trouble.empty()) continue;
    throw Error(ErrorCode::InvalidModel,
                fmt::format("node '{}' ({}): its scale '{}'{} is {:g}, which {}", node.name, node.op_type,
                            graph.value(*node.input(1)).name,
                            pair.per_channel() ? fmt::format(" of channel {}", i) : "", pair.scales[i], trouble),
                "a scale is a positive number; quantize the float model again");
  }
}

}  // namespace

void check_scales(const Graph& graph) {
  for (const Node& node : graph.nodes())
    if (is_qdq(graph, node)) check_scales_of(graph, node, describe_qdq(graph, node), false);
}

void check_scales_of_codes(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (!is_qdq(graph, node)) continue;
    if (const QdqNode pair = describe_qdq(graph, node); pair.int8_constant) check_scales_of(graph, node, pair, true);
  }
}

bool is_usable(float scale, DataType codes) { return scale != 0 && trouble_of(scale, codes).empty(); }

std::string unusable_scale(const QdqNode& pair) {
  const auto usable = [&](float scale) { return is_usable(scale, pair.codes); };
  const auto bad = std::ranges::find_if_not(pair.scales, usable);
  if (bad == pair.scales.end()) return {};
  return fmt::format("scale {:g}{}", *bad,
                     pair.per_channel() ? fmt::format(" in channel {}", bad - pair.scales.begin()) : "");
}

std::string pair_in_body(const Graph& graph) {
  for (const Node& node : graph.nodes())
    for (const Attribute& attribute : node.attributes) {
      const auto* const body = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
      if (!body || !*body) continue;
      for (const Node& inner : (*body)->nodes())
        if (is_qdq(**body, inner))
          return "node '" + inner.name + "' (" + inner.op_type + ") in the body of node '" + node.name + "' (" +
                 node.op_type + ")";
      if (std::string deeper = pair_in_body(**body); !deeper.empty()) return deeper;
    }
  return {};
}

}  // namespace detent
