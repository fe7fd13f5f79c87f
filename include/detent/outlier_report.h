#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace detent {

/// Samples that are not like the others: each alone sets the range of many values.
struct OutlierReport {
  struct Sample {
    std::string sample;
    size_t values = 0;  ///< whose range it alone sets
    double ratio = 1;   ///< of its largest |x| to the median sample's, where it is largest of these values
  };
  std::vector<Sample> samples;  ///< most values first
  size_t values = 0;            ///< that were looked at
};

}  // namespace detent
