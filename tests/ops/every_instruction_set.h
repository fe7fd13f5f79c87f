#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace detent::test {

/// Runs `check` with the vectors of each instruction set that this CPU has, then chooses the best again.
template <class Check>
void with_every_instruction_set(Check&& check) {
  const auto choose = [](int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose(target);
    check();
  }
  choose(0);
}

}  // namespace detent::test
