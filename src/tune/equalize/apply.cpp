#include "tune/equalize/apply.h"

#include "equalize/equalize_patch.h"
#include "exec/same_outputs.h"

namespace detent {

void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs) {
  if (equalization.values.empty()) return;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  apply_patch(model, make_equalize_patch(model.graph(), equalization));
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "equalization");
}

}  // namespace detent
