#include "calibrate/apart_values.h"

#include <algorithm>

namespace detent {

namespace {

/// A share below costs more than three of eight bits. No group of the networks in tests/onnxruntime/README.md goes
/// below 1/3 once decoding is float.
constexpr double kLeastShare = 1.0 / 8;

}  // namespace

std::map<std::string, double> values_apart(const Graph& graph, const PlacementPlan& plan,
                                           const Calibration& calibration) {
  std::map<std::string, double> apart;
  if (!plan.target->engine.requantizes_at_concat) return apart;
  for (const std::vector<ValueId>& group : plan.scale_groups()) {
    const auto reach = [&](ValueId value) {
      if (const auto given = calibration.given.find(value); given != calibration.given.end())
        return static_cast<double>(given->second.amax());
      const auto found = calibration.histograms.find(value);
      return found == calibration.histograms.end()
                 ? 0.0
                 : static_cast<double>(std::max(-found->second.min(), found->second.max()));
    };
    double largest = 0;
    for (const ValueId value : group) largest = std::max(largest, reach(value));
    for (const ValueId value : group)
      if (const double own = reach(value); own > 0 && own < kLeastShare * largest)
        apart.emplace(graph.value(value).name, own / largest);
  }
  return apart;
}

}  // namespace detent
