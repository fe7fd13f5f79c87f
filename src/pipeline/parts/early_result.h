#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/process/early_end.h"
#include "detent/reports/early_end_report.h"

namespace detent {

/// From here on an interruption ends this thread's work early, too (EarlyEnd), with a result that is finished.
/// plan     for the user, as in "interrupted; PLAN"
/// Returns  what keeps the program until then (EarlyEndReport::finishing); nullptr where nothing ends early.
[[nodiscard]] std::shared_ptr<const void> take_interruptions(const std::string& plan);

/// Does work whose result may be that of fewer samples (PartOfSamples); where it ends early in front of the samples, it
/// is done again for the least of them.
template <class Work>
[[nodiscard]] auto on_part_of_samples(const Work& work) {
  if (EarlyEnd* const early = EarlyEnd::current()) early->begin();
  const PartOfSamples part;
  return done_all_the_same(work);
}

/// Notes how this thread's work ended; the time limit is over with it.
/// left_out  what was not done, in words
void note_end(EarlyEndReport& ended, std::vector<std::string> left_out = {});

}  // namespace detent
