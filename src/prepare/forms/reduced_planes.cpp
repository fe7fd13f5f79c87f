#include <array>
#include <optional>
#include <span>

#include "ops/value_types.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/form_patch.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr int64_t kLargestWindow = 7;  // window that the engine averages at once
constexpr int64_t kAxesAsInput = 18;   // ReduceMean-18
constexpr size_t kImageRank = 4, kRow = 2;
constexpr int64_t kMostMeans = 1 << 16;  // of a network; a made-up size must not ask for memory

/// A plane, and the parts of which a mean is taken.
struct Plane {
  int64_t channels = 0;
  std::array<int64_t, 2> extents{}, windows{}, counts{};

  [[nodiscard]] bool is_whole() const { return counts[0] == 1 && counts[1] == 1; }
};

std::optional<Plane> plane_of(const ValueMap<DataType>& types, const Node& node, CertainShapes& shapes) {
  if (node.op_type != "GlobalAveragePool" || !node.domain.empty() || !node.input(0) || !node.output(0))
    return std::nullopt;
  if (types[*node.input(0)] != DataType::Float32) return std::nullopt;
  const auto shape = shapes.of(node.input(0));
  if (!shape || shape->size() != kImageRank || (*shape)[1] < 1 || (*shape)[1] > kMostMeans) return std::nullopt;
  Plane plane{.channels = (*shape)[1]};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t extent = (*shape)[kRow + axis];
    if (extent < 1 || extent > kLargestWindow * kLargestWindow) return std::nullopt;
    plane.extents[axis] = extent;
    plane.counts[axis] = (extent + kLargestWindow - 1) / kLargestWindow;
    plane.windows[axis] = (extent + plane.counts[axis] - 1) / plane.counts[axis];
  }
  return plane;
}

/// Returns the weights of a Conv of each channel whose outputs have the plane's mean as theirs.
Tensor parts_of(const Plane& plane) {
  const auto [rows, columns] = plane.windows;
  const float weight =
      static_cast<float>(plane.counts[0] * plane.counts[1]) / static_cast<float>(plane.extents[0] * plane.extents[1]);
  const std::vector<float> weights(static_cast<size_t>(plane.channels * rows * columns), weight);
  return Tensor::from<float>({plane.channels, 1, rows, columns}, std::span<const float>(weights));
}

}  // namespace

GraphPatch reduced_planes(const Graph& graph) {
  FormPatch patch(graph, "write GlobalAveragePool as ReduceMean");
  const GraphFacts facts(graph, default_target());
  CertainShapes shapes(facts);
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    const auto plane = plane_of(types, node, shapes);
    if (!plane) continue;
    std::string value = patch.name_of(node.input(0));
    if (!plane->is_whole()) {
      const std::string parts = patch.fresh(node, "parts");
      const auto missing = [&](size_t axis) {
        return plane->counts[axis] * plane->windows[axis] - plane->extents[axis];
      };
      patch.add({"Conv",
                 parts,
                 {value, patch.constant(node, "part", parts_of(*plane))},
                 {parts},
                 {{"group", plane->channels},
                  {"strides", std::vector<int64_t>(plane->windows.begin(), plane->windows.end())},
                  {"pads", std::vector<int64_t>{0, 0, missing(0), missing(1)}}},
                 ""});
      value = parts;
    }
    NodeSpec mean{"ReduceMean", node.name, {value}, {patch.name_of(node.output(0))}, {{"keepdims", int64_t{1}}}, ""};
    const std::vector<int64_t> axes{2, 3};
    if (graph.opset() < kAxesAsInput)
      mean.attributes.push_back({"axes", axes});
    else
      mean.inputs.push_back(patch.constant(node, "axes", Tensor::from<int64_t>({2}, axes)));
    patch.remove(node);
    patch.add(std::move(mean));
  }
  return patch.take();
}

}  // namespace detent::forms
