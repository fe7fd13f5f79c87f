#pragma once

#include "detent/base/tensor.h"

namespace detent {

/// Refuses extents that no tensor can have. Kernels multiply any of the extents, loop over them and count them.
///
/// Extents of 0 hide the others: [2^40, 0, 2^40] is empty, and the product of its first and last extent exceeds 64
/// bits. The product of all non-zero extents must therefore fit 2^56 bytes, the address space of 64-bit processors. A
/// shape with a 0 must also fit the limit of --max-memory, so that a loop over an empty tensor takes no longer than one
/// over the largest allowed tensor.
/// Errors  InvalidData for negative extents and for those that do not fit.
void check_extents(DataType type, const Shape& shape);

}  // namespace detent
