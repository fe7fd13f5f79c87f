#include "pipeline/parts/early_result.h"

#include <utility>

#include "core/files/unfinished.h"
#include "core/process/early_end.h"

namespace detent {

std::shared_ptr<const void> take_interruptions(const std::string& plan) {
  EarlyEnd* const early = EarlyEnd::current();
  if (!early) return nullptr;
  early->take_interruptions();
  return std::make_shared<const WorkToFinish>(plan);
}

void note_end(EarlyEndReport& ended, std::vector<std::string> left_out) {
  if (EarlyEnd* const early = EarlyEnd::current()) early->close();
  ended.reason = early_end_text();
  ended.left_out = std::move(left_out);
}

}  // namespace detent
