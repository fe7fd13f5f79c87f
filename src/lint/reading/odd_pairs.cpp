#include "lint/reading/odd_pairs.h"

#include <fmt/core.h>

#include <cmath>

#include "detent/base/error.h"
#include "lint/reading/qdq_node.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Returns what is wrong with a scale; "" for a usable one.
std::string trouble_of(float scale, DataType codes) {
  const double span = codes == DataType::Float8E4M3FN ? 448 : std::ldexp(1.0, static_cast<int>(bit_size(codes)));
  if (!std::isfinite(scale)) return "is no finite number";
  if (scale < 0) return "is negative";
  // The bias of a layer has the product of two scales and 32 bits, of which it uses few.
  const bool reaches = codes == DataType::Int32 || std::isfinite(static_cast<float>(scale * span));
  return reaches ? "" : "is so large that its codes stand for infinite numbers";
}

void check_scales_of(const Graph& graph, const Node& node) {
  const QdqNode pair = describe_qdq(graph, node);
  for (size_t i = 0; i < pair.scales.size(); ++i) {
    const std::string trouble = trouble_of(pair.scales[i], pair.codes);
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
    if (is_qdq(graph, node)) check_scales_of(graph, node);
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
