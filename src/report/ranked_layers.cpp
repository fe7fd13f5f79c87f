#include "report/ranked_layers.h"

#include <algorithm>

namespace detent {

std::vector<SensitivityReport::Layer> ranked_layers(const SensitivityReport& report) {
  std::vector<SensitivityReport::Layer> all(report.layers);
  all.insert(all.end(), report.operators.begin(), report.operators.end());
  std::ranges::stable_sort(all, {}, [](const SensitivityReport::Layer& layer) {
    return std::pair(layer.sqnr_db_alone, -layer.sqnr_db_all_but);
  });
  return all;
}

}  // namespace detent
