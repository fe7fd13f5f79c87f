#include <algorithm>
#include <optional>
#include <span>

#include "model/name_source.h"
#include "ops/value_types.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Extents = std::vector<int64_t>;

/// An AveragePool whose windows stand side by side, and padding that it counts.
struct SideBySide {
  Extents window, pads;  // an axis; at the begin of each axis, then at the end

  [[nodiscard]] bool counts_padding() const {
    return std::ranges::any_of(pads, [](int64_t rows) { return rows > 0; });
  }
  [[nodiscard]] bool has_halves() const {
    return std::ranges::all_of(window, [](int64_t extent) { return extent % 2 == 0; }) && std::ranges::max(window) > 2;
  }
};

std::optional<SideBySide> side_by_side(const Node& node) {
  if (node.op_type != "AveragePool" || !node.domain.empty() || !node.input(0) || !node.output(0)) return std::nullopt;
  SideBySide pooling{node.ints_or("kernel_shape", {}), {}};
  const size_t axes = pooling.window.size();
  pooling.pads = node.ints_or("pads", Extents(2 * axes, 0));
  const std::string padding = node.string_or("auto_pad", "NOTSET");
  const bool plain = (padding == "NOTSET" || padding == "VALID") && node.int_or("ceil_mode", 0) == 0 &&
                     node.ints_or("dilations", Extents(axes, 1)) == Extents(axes, 1);
  if (axes == 0 || !plain || pooling.pads.size() != 2 * axes ||
      node.ints_or("strides", Extents(axes, 1)) != pooling.window)
    return std::nullopt;
  if (pooling.counts_padding() && node.int_or("count_include_pad", 0) == 0) return std::nullopt;
  if (!pooling.counts_padding() && !pooling.has_halves()) return std::nullopt;
  return pooling;
}

class AverageWriter {
 public:
  AverageWriter(const Graph& graph, const Node& node, NameSource& names, GraphPatch& patch)
      : graph_(graph), node_(node), names_(names), patch_(patch) {}

  void write(SideBySide pooling, DataType type) {
    std::string value = graph_.value(*node_.input(0)).name;
    if (pooling.counts_padding()) value = padded(value, pooling.pads, type);
    for (; pooling.has_halves(); std::ranges::for_each(pooling.window, [](int64_t& extent) { extent /= 2; })) {
      const std::string halves = names_.fresh(node_.name + "_halves");
      patch_.add_nodes.push_back(
          average(names_.fresh(halves + "_AveragePool"), value, halves, Extents(pooling.window.size(), 2)));
      value = halves;
    }
    patch_.remove_nodes.push_back(node_.name);
    patch_.add_nodes.push_back(average(node_.name, value, graph_.value(*node_.output(0)).name, pooling.window));
  }

 private:
  static NodeSpec average(const std::string& name, const std::string& input, const std::string& output,
                          const Extents& window) {
    return {"AveragePool", name, {input}, {output}, {{"kernel_shape", window}, {"strides", window}}, ""};
  }

  std::string padded(const std::string& value, const Extents& pads, DataType type) {
    const size_t axes = pads.size() / 2;
    Extents rows(2 * (axes + 2), 0);  // batch and channels are not padded
    std::ranges::copy_n(pads.begin(), static_cast<std::ptrdiff_t>(axes), rows.begin() + 2);
    std::ranges::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(axes), static_cast<std::ptrdiff_t>(axes),
                        rows.begin() + static_cast<std::ptrdiff_t>(axes) + 4);
    const std::string output = names_.fresh(node_.name + "_padded"), counts = names_.fresh(output + "_rows"),
                      zero = names_.fresh(output + "_zero");
    patch_.add_initializers.emplace_back(counts, Tensor::from<int64_t>({std::ssize(rows)}, rows));
    patch_.add_initializers.emplace_back(zero, cast(Tensor::scalar<float>(0), type));
    patch_.add_nodes.push_back({"Pad", names_.fresh(output + "_Pad"), {value, counts, zero}, {output}, {}, ""});
    return output;
  }

  const Graph& graph_;
  const Node& node_;
  NameSource& names_;
  GraphPatch& patch_;
};

}  // namespace

GraphPatch plain_averages(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "average without padding, two rows at a time";
  if (std::ranges::none_of(graph.nodes(), [](const Node& node) { return side_by_side(node).has_value(); }))
    return patch;
  NameSource names(graph);
  const GraphFacts facts(graph, default_target());  // sizes are the same for every target
  CertainShapes shapes(facts);
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    const std::optional<SideBySide> pooling = side_by_side(node);
    if (!pooling) continue;
    const std::optional<Extents> sizes = shapes.of(node.input(0));
    const bool whole = sizes && sizes->size() == pooling->window.size() + 2 &&
                       std::ranges::equal(pooling->window, std::span(*sizes).subspan(2));
    if (!whole || pooling->counts_padding())
      AverageWriter(graph, node, names, patch).write(*pooling, types[*node.input(0)]);
  }
  return patch;
}

}  // namespace detent::forms
