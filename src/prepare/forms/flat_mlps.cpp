#include <algorithm>
#include <set>
#include <vector>

#include "model/name_source.h"
#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

constexpr size_t kAxesOfImages = 4;
constexpr int64_t kMostExtent = int64_t{1} << 30;  ///< whose product fits

/// Two products and what stands between and behind them.
struct Mlp {
  const Node* first = nullptr;
  const Node* last = nullptr;       ///< the second product, or the sum with its bias
  std::vector<const Node*> inside;  ///< nodes whose outputs have three axes, `last` among them
};

class MlpFinder {
 public:
  explicit MlpFinder(const Graph& graph) : graph_(graph) {}

  /// Returns the block that begins with a product; `last` is nullptr where none does.
  [[nodiscard]] Mlp find(const Node& first) const {
    Mlp mlp{.first = &first, .inside = {&first}};
    std::set<ValueId> made{*first.output(0)};
    const Node* second = nullptr;
    for (size_t next = 0; next < mlp.inside.size(); ++next) {
      const Value& value = graph_.value(*mlp.inside[next]->output(0));
      if (value.is_output || value.uses.empty() || mlp.inside.size() > kMostNodes) return {};
      for (const Use& use : value.uses) {
        if (use.slot < 0) return {};
        const Node& reader = graph_.node(use.node);
        if (std::ranges::find(mlp.inside, &reader) != mlp.inside.end() || &reader == second) continue;
        if (is_product(reader) && use.slot == 0 && !second) {
          second = &reader;
        } else if (works_by_element(reader) && reader.output(0)) {
          mlp.inside.push_back(&reader);
          made.insert(*reader.output(0));
        } else {
          return {};
        }
      }
    }
    const auto stays_inside = [&](const Node* node) {
      return std::ranges::all_of(present(node->inputs),
                                 [&](ValueId input) { return made.contains(input) || is_row(input); });
    };
    if (!second || !std::all_of(mlp.inside.begin() + 1, mlp.inside.end(), stays_inside)) return {};
    mlp.inside.push_back(second);
    const Value& result = graph_.value(*second->output(0));
    const Node* bias = !result.is_output && result.uses.size() == 1 && result.uses[0].slot >= 0
                           ? &graph_.node(result.uses[0].node)
                           : nullptr;
    if (bias && traits_of(graph_, *bias).kind == OpKind::Add && bias->inputs.size() == 2 &&
        is_row(bias->input(1 - static_cast<size_t>(result.uses[0].slot))))
      mlp.inside.push_back(bias);
    mlp.last = mlp.inside.back();
    return mlp;
  }

  [[nodiscard]] bool is_product(const Node& node) const {
    const Tensor* weight = graph_.constant(node.input(1));
    return node.op_type == "MatMul" && node.domain.empty() && node.input(0) && node.output(0) && weight &&
           weight->shape().rank() == 2;
  }

 private:
  static constexpr size_t kMostNodes = 12;

  [[nodiscard]] bool works_by_element(const Node& node) const {
    const OpKind kind = traits_of(graph_, node).kind;
    return node.domain.empty() &&
           (is_activation(kind) || is_arithmetic(kind) || kind == OpKind::Gelu || node.op_type == "Erf");
  }
  /// True for a constant that goes with any number of axes.
  [[nodiscard]] bool is_row(MaybeValue value) const {
    const Tensor* constant = graph_.constant(value);
    return constant && constant->shape().rank() <= 1;
  }

  const Graph& graph_;
};

}  // namespace

GraphPatch flat_mlps(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "make linear layers of 4 axes ones of 3";
  const MlpFinder finder(graph);
  if (std::ranges::none_of(graph.nodes(), [&](const Node& node) { return finder.is_product(node); })) return patch;
  const GraphFacts facts(graph, default_target());  // sizes are the same for every target
  CertainShapes shapes(facts);
  NameSource names(graph);
  std::set<NodeId> seen;
  for (const Node& node : graph.nodes()) {
    if (!finder.is_product(node) || seen.contains(node.id)) continue;
    const auto shape = shapes.of(node.input(0));
    if (!shape || shape->size() != kAxesOfImages || (*shape)[1] < 1 || (*shape)[2] < 1) continue;
    if ((*shape)[1] > kMostExtent || (*shape)[2] > kMostExtent) continue;
    const Mlp mlp = finder.find(node);
    if (!mlp.last) continue;
    const auto name_of = [&](ValueId value) { return graph.value(value).name; };
    const Shape& out =
        graph.constant(mlp.inside[mlp.inside.size() - (mlp.last->op_type == "MatMul" ? 1 : 2)]->input(1))->shape();
    const std::string rows = names.fresh(node.name + "_rows"), image = names.fresh(node.name + "_image");
    patch.add_initializers.emplace_back(
        rows, Tensor::from<int64_t>({3}, {0, (*shape)[1] * (*shape)[2], graph.constant(node.input(1))->shape()[0]}));
    patch.add_initializers.emplace_back(image, Tensor::from<int64_t>({4}, {0, (*shape)[1], (*shape)[2], out[1]}));
    const std::string before = name_of(*node.input(0)), flat = names.fresh(before + "_rows");
    patch.add_nodes.push_back({"Reshape", names.fresh(flat + "_node"), {before, rows}, {flat}, {}, ""});
    patch.rewire.push_back({node.name, 0, flat});
    for (const Node* inside : mlp.inside) {
      seen.insert(inside->id);
      const ValueId output = *inside->output(0);
      const std::string lifted = names.fresh(name_of(output) + "_rows");
      patch.rename_outputs.push_back({inside->name, 0, lifted});
      if (inside == mlp.last)
        patch.add_nodes.push_back(
            {"Reshape", names.fresh(name_of(output) + "_node"), {lifted, image}, {name_of(output)}, {}, ""});
      else
        for (const Use& use : graph.value(output).uses)
          patch.rewire.push_back({graph.node(use.node).name, use.slot, lifted});
    }
  }
  return patch;
}

}  // namespace detent::forms
