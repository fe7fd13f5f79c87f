#pragma once

#include <cstddef>

#include "detent/reports/equalize_report.h"
#include "equalize/equalization.h"

namespace detent {

/// The equalization of a model before it is calibrated, and its report.
struct EqualizedModel {
  Equalization equalization;
  EqualizeReport report;
};

}  // namespace detent
