#include "prepare/weights_in_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/float_type.h"
#include "model/name_source.h"
#include "ops/op_kind.h"
#include "ops/traits.h"

namespace detent {

namespace {

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Tensor result(matrix.type(), {columns, rows});
  const size_t size = byte_size(matrix.type());
  const auto* in = static_cast<const std::byte*>(matrix.raw());
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      std::copy_n(in + static_cast<size_t>(r * columns + c) * size, size,
                  out + static_cast<size_t>(c * rows + r) * size);
  return result;
}

/// Returns the constant matrix that slot 1 of the product reads transposed; kNoValue when there is none.
MaybeValue transposed_weight(const Graph& graph, const Node& node) {
  const auto is_matrix = [&](MaybeValue value) {
    const Tensor* constant = graph.constant(value);
    return constant && constant->shape().rank() == 2 && is_floating_point(constant->type());
  };
  const OpKind kind = traits_of(graph, node).kind;
  if (kind == OpKind::Gemm && node.int_or("transB", 0) != 0 && is_matrix(node.input(1))) return node.input(1);
  if (kind != OpKind::MatMul || !node.input(1)) return kNoValue;
  const Node* before = graph.producer(node.input(1));
  if (!before || traits_of(graph, *before).kind != OpKind::Transpose || !is_matrix(before->input(0))) return kNoValue;
  return before->ints_or("perm", {1, 0}) == std::vector<int64_t>{1, 0} ? before->input(0) : kNoValue;
}

/// Removes Transposes of constants that only the products in `rewired` read.
void remove_unread(const Graph& graph, const std::set<NodeId>& rewired, GraphPatch& patch) {
  std::set<NodeId> before;
  for (const NodeId product : rewired)
    if (const Node* node = graph.producer(graph.node(product).input(1))) before.insert(node->id);
  for (const NodeId transpose : before) {
    const Value& written = graph.value(*graph.node(transpose).output(0));
    const bool unread =
        std::ranges::all_of(written.uses, [&](const Use& use) { return use.slot == 1 && rewired.contains(use.node); });
    if (unread && !written.is_output) patch.remove_nodes.push_back(graph.node(transpose).name);
  }
}

}  // namespace

GraphPatch put_weights_in_rows(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "put weights in rows";
  NameSource names(graph);
  std::map<ValueId, std::string> known;
  std::set<NodeId> rewired;
  for (const Node& node : graph.nodes()) {
    const MaybeValue weight = transposed_weight(graph, node);
    if (!weight) continue;
    const auto [entry, added] = known.try_emplace(*weight);
    if (added) {
      entry->second = names.fresh(graph.value(*weight).name + "_transposed");
      patch.add_initializers.emplace_back(entry->second, transposed(*graph.constant(weight)));
    }
    patch.rewire.push_back({node.name, 1, entry->second});
    rewired.insert(node.id);
    if (traits_of(graph, node).kind == OpKind::Gemm)
      patch.set_attributes.push_back({node.name, {"transB", int64_t{0}}});
  }
  remove_unread(graph, rewired, patch);
  return patch;
}

size_t put_weights_in_rows(Model& model) {
  const GraphPatch patch = put_weights_in_rows(model.graph());
  if (!patch.rewire.empty()) apply_patch(model, patch);
  return patch.rewire.size();
}

}  // namespace detent
