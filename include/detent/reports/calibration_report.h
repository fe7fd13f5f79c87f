#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace detent {

/// The distribution of one value over the calibration samples, for a chart.
struct ValueHistogram {
  std::string name;
  std::string op;                 ///< of the node that makes it; "input" for a graph input
  uint64_t count = 0, zeros = 0;  ///< finite elements, and those that count as zero only
  double min = 0, max = 0;
  double first = 0, width = 0;  ///< lower edge of bins[0] and width of every bin, real units
  std::vector<uint64_t> bins;   ///< at most 256, without the zeros; empty when nothing but zeros was seen
  struct ChosenRange {
    std::string calibrator;
    double min = 0, max = 0;
  };
  std::vector<ChosenRange> ranges;  ///< one a candidate
};

/// Samples that are not like the others: each alone sets the range of many values.
struct OutlierReport {
  struct Sample {
    std::string sample;
    size_t values = 0;   ///< whose range it alone sets
    double ratio = 1;    ///< of its largest |x| to the median sample's, where it is largest of these values
    size_t largest = 0;  ///< values of which it has the largest |x|, alone or not
  };
  std::vector<Sample> samples;  ///< most values first
  size_t values = 0;            ///< that were looked at
  std::string policy;           ///< what became of them: "keep", "drop", "clip"; empty: no ranges were chosen
  std::vector<Sample> all;      ///< of the calibration, in the same order; empty where too few to tell what is usual
};

}  // namespace detent
