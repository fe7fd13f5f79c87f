#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// Refuses what no tensor can be: kernels multiply any of the extents, walk along them and count them.
///
/// Extents of 0 hide what the others ask for: [2^40, 0, 2^40] is empty, and the product of its first and last extent is
/// beyond 64 bits. So all but the zeros must fit: 2^56 bytes, what 64-bit processors address, and where there is a 0
/// the limit of --max-memory too, so that a loop along an empty tensor takes no longer than one along a tensor that may
/// be there.
/// Errors  InvalidData for negative extents and for those that do not fit.
void check_extents(DataType type, const Shape& shape);

}  // namespace detent
