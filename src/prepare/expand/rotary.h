#pragma once

#include "prepare/expand/parts.h"

namespace detent::expand {

/// A rotation of the pairs of a head.
struct Rotation {
  Name cos, sin;             ///< broadcast to [.., rotated / 2] of the value
  int64_t rotated = 0;       ///< elements of a head that are rotated, the first ones; 0: all
  bool interleaved = false;  ///< pairs are neighbours; false: element i and i + rotated / 2
};

/// Rotates the pairs of the last axis of a value of rank 4: (a, b) -> (a cos - b sin, a sin + b cos).
Name rotate(Body& body, const Name& value, const Rotation& rotation);

}  // namespace detent::expand
