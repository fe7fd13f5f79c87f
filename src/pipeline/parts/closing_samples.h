#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/data_source.h"
#include "detent/quantize.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/setup.h"

namespace detent {

/// The samples that the closing error is measured on. Looks at the setup's data, which must outlive it.
struct ClosingSamples {
  std::vector<std::unique_ptr<DataSource>> held;  ///< opened or chosen for this
  std::unique_ptr<IdentifiedSamples> source;      ///< looks at these or at the setup's; nullptr: there is no data
  std::string what;  ///< "evaluation samples", "samples that were not calibrated with", "calibration samples"

  /// How many of those that were read so far were calibrated with, by content.
  [[nodiscard]] size_t calibrated_with(const Calibration& calibration) const;
};

/// All samples of --eval where it is given. Else some that were not calibrated with, where there are 8: of those beyond --limit, or of
/// those of the data whose content the table does not list. Else some of those of the calibration. They are the ones whose names have the
/// smallest hash: a folder that is sorted by class begins with one class.
/// Cost  16 to QuantizeOptions::error_samples samples, as many as 10e9 multiply-accumulates or a tenth of the calibration pay for.
/// Errors  those of open_data, and of reading samples that a table is asked about.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeOptions& options, const Setup& setup,
                                             const Calibration& calibration);

}  // namespace detent
