#include "equalize/clip_bounds.h"

#include <cmath>
#include <limits>

namespace detent {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<float> bound(const Graph& graph, const Node& node, size_t slot, const char* attribute, float fallback) {
  if (node.has(attribute)) return node.float_or(attribute, fallback);
  if (node.input(slot) == kNoValue) return fallback;
  const Tensor* constant = graph.constant(node.input(slot));
  if (!constant || constant->element_count() != 1) return std::nullopt;
  return cast(*constant, DataType::Float32).data<float>()[0];
}

/// Exporters write the largest float, or nearly, for no bound.
float opened(float bound) {
  constexpr float kUnbounded = 1e30F;
  return std::abs(bound) < kUnbounded ? bound : std::copysign(kInfinity, bound);
}

}  // namespace

std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& node) {
  const auto low = bound(graph, node, 1, "min", -kInfinity), high = bound(graph, node, 2, "max", kInfinity);
  if (!low || !high) return std::nullopt;
  return ClipBounds{opened(*low), opened(*high)};
}

}  // namespace detent
