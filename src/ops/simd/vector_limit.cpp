#include "ops/simd/vector_limit.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cctype>

namespace detent {

namespace {

/// Returns Highway's target. In its masks a better target of one architecture has a lower bit (hwy/detect_targets.h).
/// AVX3 is AVX-512 F, BW, DQ, CD, VL.
int64_t target_of(VectorLimit limit) { return limit == VectorLimit::Avx2 ? HWY_AVX2 : HWY_AVX3; }

}  // namespace

bool cpu_has(VectorLimit limit) {
  const int64_t as_good_or_better = 2 * target_of(limit) - 1;
  return (hwy::SupportedTargets() & as_good_or_better) != 0;
}

void limit_vectors(VectorLimit limit) {
  hwy::DisableTargets(target_of(limit) - 1);
  hwy::GetChosenTarget().DeInit();  // loops that ran before chose already
}

std::string vector_set() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  std::string name = hwy::TargetName(usable & -usable);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace detent
