#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/plan_report.h"

namespace detent {

struct PlanModelOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  PlacementOptions placement;
  std::map<std::string, std::vector<int64_t>> shapes;  ///< by input, for sizes that the model leaves open
  std::optional<FloatType> float_type;                 ///< of what is not INT8; absent: the target's
  std::optional<bool> uint8_activations;  ///< absent: the target's type; it changes what ONNX Runtime runs in integers
  DataOptions data;                       ///< without sources: nothing is measured
  RunSettings run;                        ///< of the pass over the data
};

/// Places pairs, and says which nodes would compute in a 16-bit float type.
///
/// Without data  MACs and bytes are 0 where the model leaves sizes open and no shape was given. Nodes stay FP32 for
/// what their
///               operators, constants and structure tell; what their values reach is not known.
/// With data     every value is measured and sizes are those of the samples: the plan is the one that quantize_model
/// makes of
///               the same samples without equalization.
/// Errors  InvalidModel; Usage for a target that is not known, and for shapes beside data; InvalidOption for shapes or
/// patterns
///         that do not fit; with data those of reading and running samples.
[[nodiscard]] DETENT_API PlanReport plan_model(const PlanModelOptions& options);

}  // namespace detent
