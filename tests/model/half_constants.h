#pragma once

#include <string>

#include "core/onnx_type.h"
#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// Returns a model from its text form, in which `w = Cast <to = 10> (wf)` of an initializer `wf` stands for an FP16
/// initializer `w`, `<to = 16>` for a BF16, `<to = 17>` for an FP8 and `<to = 22>` for an INT4 one: the text form has
/// no such numbers.
inline Model parse_half_model(const std::string& text) {
  Model model = parse_model_text(text);
  GraphPatch patch;
  patch.reason = "FP16 constants";
  for (const Node& node : model.graph().nodes()) {
    const Tensor* wide = node.op_type == "Cast" ? model.graph().constant(node.input(0)) : nullptr;
    if (!wide) continue;
    const DataType type = data_type_from_onnx(node.int_or("to", 10));
    patch.remove_nodes.push_back(node.name);
    patch.add_initializers.emplace_back(model.graph().value(*node.output(0)).name, cast(*wide, type));
  }
  apply_patch(model, patch);
  return model;
}

}  // namespace detent::test
