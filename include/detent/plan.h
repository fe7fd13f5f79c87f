#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "detent/placement_options.h"
#include "detent/plan_report.h"

namespace detent {

struct PlanModelOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  PlacementOptions placement;
  std::map<std::string, std::vector<int64_t>> shapes;  ///< by input, for sizes that the model leaves open
};

/// Places without data. MACs and bytes are 0 where the model leaves sizes open and no shape was given.
/// Errors  InvalidModel; Usage for a target that is not known; InvalidOption for shapes or patterns that do not fit.
[[nodiscard]] PlanReport plan_model(const PlanModelOptions& options);

}  // namespace detent
