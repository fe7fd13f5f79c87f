#pragma once

#include <cstddef>

#include "detent/reports/equalize_report.h"
#include "equalize/equalization.h"

namespace detent {

/// `auto` keeps nothing with fewer samples: three parts of five images can agree on a family that loses 1 to 3 dB on
/// five others (text_ppocrv3_det).
inline constexpr size_t kFewestToJudge = 8;

/// The equalization of a model before it is calibrated, and its report.
struct EqualizedModel {
  Equalization equalization;
  EqualizeReport report;
};

}  // namespace detent
