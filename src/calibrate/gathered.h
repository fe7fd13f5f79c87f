#pragma once

#include <vector>

#include "calibrate/sample_tracker.h"
#include "observe/collector.h"
#include "observe/float_reach.h"
#include "observe/token_reach.h"

namespace detent {

/// What was measured of some samples.
struct Gathered {
  Collector collector;                      ///< whole batches only
  FloatReachObserver reaches;               ///< of the values whose reach was asked for, of the same batches
  TokenReachObserver tokens;                ///< the same
  std::vector<SampleTracker::Added> added;  ///< those samples, where a tracker told who they are; in any order

  /// Adds what was measured of other samples, of the same values.
  void merge(const Gathered& other) {
    collector.merge(other.collector);
    reaches.merge(other.reaches);
    tokens.merge(other.tokens);
    added.insert(added.end(), other.added.begin(), other.added.end());
  }
};

}  // namespace detent
