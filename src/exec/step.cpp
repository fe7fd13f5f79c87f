#include "exec/step.h"

namespace detent {

const Tensor* ScheduleParts::constant(MaybeValue value) const {
  if (!value) return nullptr;
  if (const Tensor* given = graph->constant(value)) return given;
  if (constants.empty()) return nullptr;
  const Tensor& folded = constants[*value];
  return folded.empty_handle() ? nullptr : &folded;
}

}  // namespace detent
