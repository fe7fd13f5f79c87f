#include <algorithm>
#include <optional>

#include "model/name_source.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Extents = std::vector<int64_t>;
constexpr size_t kAxes = 3;

/// A MaxPool over three axes, with one number for each axis or each side of one.
struct VolumePooling {
  Extents kernel, strides, pads, dilations;
};

std::optional<VolumePooling> volume_pooling(const Node& node) {
  if (node.op_type != "MaxPool" || !node.domain.empty() || !node.input(0) || !node.output(0) || node.output(1))
    return std::nullopt;
  VolumePooling pooling{node.ints_or("kernel_shape", {}), node.ints_or("strides", Extents(kAxes, 1)),
                        node.ints_or("pads", Extents(2 * kAxes, 0)), node.ints_or("dilations", Extents(kAxes, 1))};
  const bool plain = node.string_or("auto_pad", "NOTSET") == "NOTSET" && node.int_or("ceil_mode", 0) == 0;
  if (!plain || pooling.kernel.size() != kAxes || pooling.strides.size() != kAxes || pooling.pads.size() != 2 * kAxes ||
      pooling.dilations.size() != kAxes)
    return std::nullopt;
  return pooling;
}

int64_t pooled(int64_t extent, const VolumePooling& pooling, size_t axis) {
  const int64_t window = (pooling.kernel[axis] - 1) * pooling.dilations[axis] + 1;
  return (extent + pooling.pads[axis] + pooling.pads[axis + kAxes] - window) / pooling.strides[axis] + 1;
}

class PoolingWriter {
 public:
  PoolingWriter(const Graph& graph, const Node& node, const VolumePooling& pooling, NameSource& names,
                GraphPatch& patch)
      : graph_(graph), node_(node), pooling_(pooling), names_(names), patch_(patch) {}

  /// sizes  batch, channels, depth, rows and columns
  void write(const Extents& sizes) {
    const int64_t rows = pooled(sizes[3], pooling_, 1), columns = pooled(sizes[4], pooling_, 2);
    std::string value = graph_.value(*node_.input(0)).name;
    value = reshaped(value, "planes", {sizes[0], sizes[1] * sizes[2], sizes[3], sizes[4]});
    value = pool(value, "plane_maxima", {1, 2}, {});
    value = reshaped(value, "columns", {sizes[0], sizes[1], sizes[2], rows * columns});
    value = pool(value, "maxima", {0}, {1});
    patch_.remove_nodes.push_back(node_.name);
    const std::string shape = constant("shape", {sizes[0], sizes[1], pooled(sizes[2], pooling_, 0), rows, columns});
    patch_.add_nodes.push_back({"Reshape", node_.name, {value, shape}, {graph_.value(*node_.output(0)).name}, {}, ""});
  }

 private:
  std::string constant(const std::string& what, Extents numbers) {
    const std::string name = names_.fresh(node_.name + "_" + what);
    const auto count = std::ssize(numbers);
    patch_.add_initializers.emplace_back(name, Tensor::from<int64_t>({count}, numbers));
    return name;
  }

  std::string add(const char* op, const std::string& what, std::vector<std::string> inputs,
                  std::vector<Attribute> attributes) {
    const std::string output = names_.fresh(node_.name + "_" + what);
    patch_.add_nodes.push_back(
        {op, names_.fresh(output + "_" + op), std::move(inputs), {output}, std::move(attributes), ""});
    return output;
  }

  std::string reshaped(const std::string& value, const std::string& what, Extents sizes) {
    return add("Reshape", what, {value, constant(what + "_shape", std::move(sizes))}, {});
  }

  /// Pools over these axes of the volume, and over as many of extent 1 as `ones` has.
  std::string pool(const std::string& value, const std::string& what, const std::vector<size_t>& axes,
                   const Extents& ones) {
    const auto of_axes = [&](const Extents& numbers, int64_t other) {
      Extents chosen;
      for (const size_t axis : axes) chosen.push_back(numbers[axis]);
      for (size_t i = 0; i < ones.size(); ++i) chosen.push_back(other);
      return chosen;
    };
    Extents pads = of_axes(pooling_.pads, 0);
    const Extents ends = of_axes(Extents(pooling_.pads.begin() + kAxes, pooling_.pads.end()), 0);
    pads.insert(pads.end(), ends.begin(), ends.end());
    return add("MaxPool", what, {value},
               {{"kernel_shape", of_axes(pooling_.kernel, 1)},
                {"strides", of_axes(pooling_.strides, 1)},
                {"pads", std::move(pads)},
                {"dilations", of_axes(pooling_.dilations, 1)}});
  }

  const Graph& graph_;
  const Node& node_;
  const VolumePooling& pooling_;
  NameSource& names_;
  GraphPatch& patch_;
};

}  // namespace

GraphPatch plane_pooling(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "pool over planes";
  if (std::ranges::none_of(graph.nodes(), [](const Node& node) { return volume_pooling(node).has_value(); }))
    return patch;
  NameSource names(graph);
  const GraphFacts facts(graph, default_target());  // sizes are the same for every target
  CertainShapes shapes(facts);
  for (const Node& node : graph.nodes()) {
    const auto pooling = volume_pooling(node);
    const std::optional<Extents> sizes = pooling ? shapes.of(node.input(0)) : std::nullopt;
    if (!sizes || sizes->size() != kAxes + 2 || std::ranges::any_of(*sizes, [](int64_t extent) { return extent < 1; }))
      continue;
    PoolingWriter(graph, node, *pooling, names, patch).write(*sizes);
  }
  return patch;
}

}  // namespace detent::forms
