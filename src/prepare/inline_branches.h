#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Replaces every If whose condition is known before any data is read by the branch that it takes, so that the branch
/// can be quantized. A condition is known when it is constant, computed from constants, or computed from the shapes of
/// values where the model fixes the shapes of all inputs. Nested branches are inlined too. Inner values and nodes get
/// the name of the If as prefix; its outputs keep their names. Returns the number of Ifs replaced.
size_t inline_branches(Model& model);

}  // namespace detent
