#include "ops/op_list.h"

#include <vector>

namespace detent {

std::span<const OperatorDef> operator_list() {
  static const std::vector<OperatorDef> all = [] {
    std::vector<OperatorDef> list;
    const auto add = [&](std::span<const OperatorDef> family) {
      list.insert(list.end(), family.begin(), family.end());
    };
#define FAMILY(name) add(name##_operators());
#include "ops/op_list.inc"
#undef FAMILY
    return list;
  }();
  return all;
}

}  // namespace detent
