#pragma once

#include <memory>
#include <string>
#include <vector>

namespace detent {

/// The rest that is missing where the work ended early, with the best result so far.
struct EarlyEndReport {
  std::string reason;                 ///< "time limit" or "interrupted"; empty: the work ran to its end
  std::vector<std::string> left_out;  ///< what was not done, in words; empty: only samples are missing
  /// While it is held, an interrupted program waits for what is made of the report.
  std::shared_ptr<const void> finishing = {};
};

}  // namespace detent
