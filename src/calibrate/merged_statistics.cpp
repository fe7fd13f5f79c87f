#include "calibrate/merged_statistics.h"

namespace detent {

void MergedStatistics::include(const Histogram& added, std::span<const Extremes> of_samples) {
  histogram.merge(added);
  samples.resize(of_samples.size());
  for (size_t i = 0; i < samples.size(); ++i) samples[i].include(of_samples[i]);
}

Error lacks_samples(const Calibrator& calibrator, const std::string& value) {
  return {ErrorCode::TableMismatch,
          "the table does not tell the extremes of '" + value + "' in single samples, which " + calibrator.name() +
              " needs",
          "calibrate again with this version, or choose another calibrator"};
}

}  // namespace detent
