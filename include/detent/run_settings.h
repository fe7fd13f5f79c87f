#pragma once

#include <cstddef>
#include <stop_token>

#include "detent/progress.h"

namespace detent {

/// How work over many samples runs. Results do not depend on it.
struct RunSettings {
  size_t threads = 0;          ///< 0: all cores
  bool skip_bad_data = false;  ///< count and skip unreadable samples instead of stopping
  Reporter* reporter = &Reporter::silent();
  /// Asked to stop, it ends this call alone, within about a second, with ErrorCode::Interrupted; calls of other threads go on.
  std::stop_token stop = {};
};

}  // namespace detent
