#pragma once

#include <cstddef>
#include <cstdint>

namespace detent {

/// Convert IEEE half to float and back (round to nearest even), with the CPU's instructions where it has them.
void halves_to_floats(const uint16_t* in, float* out, size_t count);
void floats_to_halves(const float* in, uint16_t* out, size_t count);

}  // namespace detent
