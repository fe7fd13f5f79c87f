#include "exec/lean.h"

namespace detent {

namespace {

constexpr int64_t kMostCopied = int64_t{1} << 30;

}  // namespace

bool is_lean(const Graph& graph) {
  int64_t elements = 0;
  for (const Value& value : graph.values())
    if (value.is_constant && value.declared_shape && value.declared_shape->size() > 1)
      elements += Shape(*value.declared_shape).element_count();
  return elements > kMostCopied / static_cast<int64_t>(sizeof(float));
}

}  // namespace detent
