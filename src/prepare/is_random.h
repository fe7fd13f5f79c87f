#pragma once

#include "model/graph/graph.h"

namespace detent {

/// True when the node draws random numbers: its output may differ in every run.
[[nodiscard]] inline bool is_random(const Node& node) {
  return node.op_type.starts_with("Random") || node.op_type == "Bernoulli" || node.op_type == "Multinomial" ||
         node.op_type == "Dropout";
}

}  // namespace detent
