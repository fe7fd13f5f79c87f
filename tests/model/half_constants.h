#pragma once

#include <string>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// Model from its text form, in which `w = Cast <to = 10> (wf)` of an initializer `wf` stands for an FP16 initializer
/// `w`, `<to = 16>` for a BF16 and `<to = 17>` for an FP8 one: the text form has no such numbers.
inline Model parse_half_model(const std::string& text) {
  Model model = parse_model_text(text);
  GraphPatch patch;
  patch.reason = "FP16 constants";
  for (const Node& node : model.graph().nodes()) {
    const Tensor* wide = node.op_type == "Cast" ? model.graph().constant(node.input(0)) : nullptr;
    if (!wide) continue;
    const int64_t to = node.int_or("to", 10);
    const DataType type = to == 17 ? DataType::Float8E4M3FN : to == 16 ? DataType::BFloat16 : DataType::Float16;
    patch.remove_nodes.push_back(node.name);
    patch.add_initializers.emplace_back(model.graph().value(node.output(0)).name, cast(*wide, type));
  }
  apply_patch(model, patch);
  return model;
}

}  // namespace detent::test
