#pragma once

#include <string>

namespace detent {

/// The error that one quantized value's own pair makes, everything else being float.
struct LocalError {
  std::string value;
  double sqnr_db = 0;  ///< of the value after its own pair against the value itself, in the float network
};

}  // namespace detent
