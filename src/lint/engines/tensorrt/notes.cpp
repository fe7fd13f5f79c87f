// Fusions that TensorRT does not make whatever the pairs: worth knowing when a network is slower than expected.

#include "lint/engines/tensorrt/findings.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

bool is_int8_conv(const LintView& view, NodeId node) {
  return view.facts().kind(node) == OpKind::Conv && view.found().is_int8(node);
}

std::string bytes_share(const LintView& view, MaybeValue value) {
  const Shape* shape = find_shape(view.shapes(), value);
  const int64_t all = view.found_plan().coverage.activation_bytes;
  if (!shape || all == 0) return "";
  const double bytes = static_cast<double>(shape->element_count() * static_cast<int64_t>(byte_size(DataType::Float32)));
  return " (" + std::to_string(static_cast<int>(100 * bytes / static_cast<double>(all) + 0.5)) +
         " % of the activation bytes pass between them)";
}

}  // namespace

void concat_input_from_float(const LintView& view, FindingLog& log) {
  const ValueMap<bool> sources = int8_sources(view.found()), before_pairs = values_before_pairs(view.found());
  for (const Node& node : view.graph().nodes()) {
    if (!is_data_concat(view.facts(), view.found(), node.id) || !before_pairs[*node.output(0)]) continue;
    for (const int slot : view.facts().data_slots(node.id)) {
      const ValueId input = *node.input(slot);
      if (sources[input]) continue;
      log.add(node.name,
              "its input " + std::to_string(slot) + " comes from " + view.facts().describe_source(input) +
                  ", which does not run in INT8: the quantization happens before the Concat and costs a copy",
              "quantize the producer, or exclude the layers behind the Concat", view.layers_reading(node.output(0)));
    }
  }
}

void stem_conv_maxpool(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!is_int8_conv(view, node.id) || !view.value(*node.input(0)).is_input) continue;
    const MaybeValue last = fused_output(view.facts(), view.found(), node.id);
    const auto use = sole_use(view.graph(), last);
    if (!use || view.facts().kind(use->node) != OpKind::MaxPool) continue;
    log.add(node.name,
            "is followed by " + view.facts().describe(use->node) +
                ": fused in implicit quantization but not between pairs, according to reports" +
                bytes_share(view, last),
            "nothing to cure in the model", {node.id});
  }
}

void depthwise_silu(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!is_int8_conv(view, node.id) || node.int_or("group", 1) == 1 || view.facts().weight(node.id).shape()[1] != 1)
      continue;
    const MaybeNode activation = fused_activation(view.facts(), view.found(), node.output(0));
    if (activation && gated_activation(view.facts(), *activation))
      log.add(node.name, "a depthwise convolution does not fuse with the SiLU behind it",
              "nothing to cure in the model", {node.id});
  }
}

void leaky_relu_not_closed(const LintView& view, FindingLog& log) {
  const ValueMap<bool> before_pairs = values_before_pairs(view.found());
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || !view.found().is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(view.facts(), view.found(), node.output(0));
    if (!activation || view.facts().kind(*activation) != OpKind::LeakyRelu) continue;
    if (before_pairs[*view.node(*activation).output(0)]) continue;
    log.add(view.node(*activation).name,
            "fuses with " + view.facts().describe(node.id) + " only if a pair stands behind it, and none does",
            "put a pair behind it where its reader can take one", {node.id});
  }
}

}  // namespace detent::findings
