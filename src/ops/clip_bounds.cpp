#include "ops/clip_bounds.h"

#include <cmath>
#include <limits>

namespace detent {

namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();

/// Reads a bound; returns false when it is computed while the network runs.
bool read_bound(const Graph& graph, const Node& clip, size_t slot, const char* attribute, std::optional<float>& bound) {
  if (clip.has(attribute)) {
    bound = clip.float_or(attribute, 0);
    return true;
  }
  if (!clip.input(slot)) return true;
  const Tensor* constant = graph.constant(clip.input(slot));
  if (!constant || constant->element_count() != 1) return false;
  bound = cast(*constant, DataType::Float32).data<float>()[0];
  return true;
}

float opened(float bound) {
  constexpr float kUnbounded = 1e30F;
  return std::abs(bound) < kUnbounded ? bound : std::copysign(kUnlimited, bound);
}

}  // namespace

float ClipBounds::low() const { return opened(min.value_or(-kUnlimited)); }

float ClipBounds::high() const { return opened(max.value_or(kUnlimited)); }

std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& clip) {
  ClipBounds bounds;
  if (!read_bound(graph, clip, 1, "min", bounds.min) || !read_bound(graph, clip, 2, "max", bounds.max))
    return std::nullopt;
  return bounds;
}

}  // namespace detent
