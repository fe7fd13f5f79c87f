#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "model/model.h"

namespace detent {

/// One pass over the samples for the plans of several targets. Models share it that are the same float graph
/// (fingerprint); values are matched by name.
/// Memory  a histogram and 8 bytes a sample for each value, besides those of every Calibration that is returned.
class SharedPass {
 public:
  /// Announces values that calibrate() will be asked for.
  void announce(const Model& model, std::span<const ValueId> values);

  /// Returns what detent::calibrate() returns for the values. The first call for a model measures all announced values;
  /// a later one runs the samples again only where a value was not measured yet.
  /// source  the same samples in every call.
  /// Errors  those of detent::calibrate(), also for a value that another plan announced.
  [[nodiscard]] Calibration calibrate(const Model& model, std::span<const ValueId> values, const DataSource& source,
                                      const RunSettings& settings);

 private:
  struct Measured {
    std::set<std::string> announced;
    std::map<std::string, Histogram> histograms;  // of constants too
    std::map<std::string, std::vector<Extremes>> extremes;
    Calibration facts;  // of the first pass: all except the values
  };

  /// Returns the announced values and `values`, without those that were measured.
  [[nodiscard]] static std::vector<ValueId> missing(const Measured& known, const Graph& graph,
                                                    std::span<const ValueId> values);
  static void add(Measured& known, const Graph& graph, Calibration calibration);

  std::map<std::string, Measured> models_;  // by fingerprint
};

}  // namespace detent
