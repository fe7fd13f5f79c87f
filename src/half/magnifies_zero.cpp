#include "half/magnifies_zero.h"

namespace detent {

bool magnifies_zero(const Node& node, int slot) {
  return node.domain.empty() && ((node.op_type == "Div" && slot == 1) || node.op_type == "Reciprocal" ||
                                 node.op_type == "Log" || (node.op_type == "Pow" && slot == 0));
}

}  // namespace detent
