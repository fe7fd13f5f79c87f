#pragma once

#include "model/graph/graph.h"

namespace detent {

/// The node draws numbers: it may write something else in every run.
[[nodiscard]] inline bool is_random(const Node& node) {
  return node.op_type.starts_with("Random") || node.op_type == "Bernoulli" || node.op_type == "Multinomial" ||
         node.op_type == "Dropout";
}

}  // namespace detent
