#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Puts the taken branch of every If in its place whose condition is known before any data is read: a constant,
/// computed from constants, or from the shapes of values where the model fixes the shapes of all inputs. So its layers
/// can be quantized. Branches inside are inlined too. Values and nodes from inside get the name of the If in front; its
/// outputs keep their names.
///
/// Output  number of Ifs replaced; 0 and an untouched model when there are none.
size_t inline_branches(Model& model);

}  // namespace detent
