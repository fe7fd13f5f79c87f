#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace detent {

/// Distribution of one value over the calibration samples, for a chart.
struct ValueHistogram {
  std::string name;
  std::string op;                 ///< of the node that makes it; "input" for a graph input
  uint64_t count = 0, zeros = 0;  ///< finite elements, and those with |x| < 2^-40
  double min = 0, max = 0;
  double first = 0, width = 0;  ///< lower edge of bins[0] and width of every bin, real units
  std::vector<uint64_t> bins;   ///< at most 256, without the zeros; empty when every element was zero
  struct ChosenRange {
    std::string calibrator;
    double min = 0, max = 0;
  };
  std::vector<ChosenRange> ranges;  ///< one per candidate
};

/// Calibration samples that each alone set the range of many values.
struct OutlierReport {
  struct Sample {
    std::string sample;
    size_t values = 0;   ///< whose range it alone sets
    double ratio = 1;    ///< its largest |x| over the median sample's, for the value of these where that is largest
    size_t largest = 0;  ///< values of which it has the largest |x|, alone or not
  };
  std::vector<Sample> samples;  ///< most values first
  size_t values = 0;            ///< that were examined
  std::string policy;           ///< treatment of the samples: "keep", "drop", "clip"; empty: no ranges were chosen
  std::vector<Sample> all;  ///< every calibration sample, in the same order; empty where they are too few to compare
};

}  // namespace detent
