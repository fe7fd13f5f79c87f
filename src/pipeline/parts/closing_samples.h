#pragma once

#include <memory>
#include <string>

#include "calibrate/calibration.h"
#include "detent/data_source.h"
#include "detent/quantize.h"
#include "pipeline/parts/setup.h"

namespace detent {

/// The samples that the closing error is measured on. Looks at the setup's data, which must outlive it.
struct ClosingSamples {
  std::unique_ptr<DataSource> own;  ///< opened for this; may be nullptr
  std::unique_ptr<DataSource> some;
  const DataSource* source = nullptr;  ///< of these two or the setup's; nullptr: there is no data
  size_t most = 0;                     ///< as many of it as are run
  bool calibrated_with = false;
  std::string what;  ///< "evaluation samples", "samples that were not calibrated with", "calibration samples"
};

/// All samples of --eval where it is given. Else samples that were not calibrated with, where there are 8: those beyond --limit, or those of the
/// data that the table does not name. Else those of the calibration. Errors  those of open_data.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeOptions& options, const Setup& setup,
                                             const Calibration& calibration);

}  // namespace detent
