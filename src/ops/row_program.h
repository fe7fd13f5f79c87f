#pragma once

#include <memory>
#include <span>

#include "ops/kernel.h"

namespace detent {

/// True for a node that a row program may hold: one that computes element by element, or the mean over one axis that it
/// keeps.
[[nodiscard]] bool runs_by_rows(const KernelContext& context);

/// Makes one kernel of several such nodes: rows run through all of them while they are in cache, which saves the passes
/// over memory and the cost of a step for each. Exporters write LayerNormalization and GELU as such groups. The bits
/// are those of the nodes one after the other, which run where shapes, types or layouts do not fit.
/// nodes   in order: each reads outputs of earlier ones and `inputs`; the last one writes the output, of one shape with
///         the largest input.
/// inputs  the values from elsewhere, each once, in the order of the kernel's inputs.
[[nodiscard]] std::unique_ptr<Kernel> make_row_program(std::span<const KernelContext> nodes,
                                                       std::span<const ValueId> inputs);

}  // namespace detent
