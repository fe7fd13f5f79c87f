#pragma once

#include <cstddef>

#include "detent/progress.h"

namespace detent {

/// How work over many samples runs. Results do not depend on it.
struct RunSettings {
  size_t threads = 0;          ///< 0: all cores
  bool skip_bad_data = false;  ///< count and skip unreadable samples instead of stopping
  Reporter* reporter = &Reporter::silent();
};

}  // namespace detent
