//   wrong:   Conv --> Cast --> Q --> DQ             right:   Conv --> Q (scale in the Conv's type) --> DQ
//   wrong:   Q --> DQ --> Cast --> Conv             right:   Q --> DQ (scale in the Conv's type) --> Conv
//
// The engine fuses Q into the kernel before it, and DQ into the kernel behind it, if they are neighbours. Before the Q
// of a graph input there is no kernel: a Cast there is one more pass over the input, but no finding.

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "lint/findings/findings.h"
#include "ops/traits.h"

namespace detent::findings {
namespace {

OpKind kind_of(const Graph& graph, const Node* node) { return node ? traits_of(graph, *node).kind : OpKind::Constant; }

/// True for a Cast between float types; one of integers is the model's, and no kernel before it could write codes.
bool is_float_cast(const LintedFile& file, const Node& node) {
  const DataType from = file.type_of(node.input(0)), to = data_type_from_onnx(node.int_or("to", 1));
  return traits_of(file.graph, node).kind == OpKind::Cast && is_floating_point(from) && is_floating_point(to) &&
         from != to;
}

/// True when a kernel writes the value: not a graph input, a constant or a copy of one, and not a DequantizeLinear.
bool comes_from_kernel(const Graph& graph, MaybeValue value) {
  const Node* maker = graph.producer(value);
  while (maker && traits_of(graph, *maker).commutes && kind_of(graph, maker) != OpKind::MaxPool)
    maker = graph.producer(maker->input(0));
  const OpKind kind = kind_of(graph, maker);
  return kind != OpKind::Constant && kind != OpKind::DequantizeLinear && kind != OpKind::Cast;
}

/// Returns the first reader of the value that is a QuantizeLinear, or the first that is not; nullptr when there is
/// none.
const Node* reader_of(const Graph& graph, MaybeValue value, bool quantizes) {
  if (!value) return nullptr;
  for (const Use& use : graph.value(*value).uses)
    if ((kind_of(graph, &graph.node(use.node)) == OpKind::QuantizeLinear) == quantizes) return &graph.node(use.node);
  return nullptr;
}

std::string named(const Node& node) { return node.op_type + " '" + node.name + "'"; }

std::vector<NodeId> layers(const LintView& view, const Node& node) {
  const MaybeNode id = view.graph().find_node(node.name);
  return id && view.facts().is_weighted(*id) ? std::vector<NodeId>{*id} : std::vector<NodeId>{};
}

}  // namespace

void cast_at_pair(const LintView& view, FindingLog& log) {
  const LintedFile& file = view.file();
  const Graph& graph = file.graph;
  for (const Node& cast : graph.nodes()) {
    if (!is_float_cast(file, cast)) continue;
    const std::string from(short_name(file.type_of(cast.input(0)))), to(short_name(file.type_of(cast.output(0))));
    const Node* maker = graph.producer(cast.input(0));
    if (const Node* quantize = reader_of(graph, cast.output(0), true);
        quantize && comes_from_kernel(graph, cast.input(0)))
      log.add(cast.name,
              "casts the output of " + named(*maker) + " to " + to + " before " + named(*quantize) +
                  ": the kernel cannot write codes",
              "let QuantizeLinear read " + from + " with a scale in " + from + "; DequantizeLinear keeps its scale",
              layers(view, *maker));
    const Node* reader = reader_of(graph, cast.output(0), false);
    if (reader && kind_of(graph, maker) == OpKind::DequantizeLinear)
      log.add(cast.name,
              "casts the output of " + named(*maker) + " to " + to + " before " + named(*reader) +
                  ": the kernel cannot read codes",
              "give DequantizeLinear a scale in " + to, layers(view, *reader));
  }
}

}  // namespace detent::findings
