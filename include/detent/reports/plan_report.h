#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detent/options/code_type.h"
#include "detent/options/float_types.h"
#include "detent/reports/graph_report.h"

namespace detent {

/// How much of a model runs in INT8, or in FP8 where that is the plan's type. Layers are the weighted operators (Conv,
/// Gemm, MatMul ...).
struct CoverageReport {
  int64_t layers = 0, int8_layers = 0;
  int64_t macs = 0, int8_macs = 0;  ///< 0 where sizes are open
  int64_t params = 0, int8_params = 0;
  /// At the width of FP32, so that they count elements; 0 where sizes are open.
  int64_t activation_bytes = 0, int8_activation_bytes = 0;
  int64_t pairs = 0;
  CodeType type = CodeType::Int8;
  TypeShares types;   ///< in the types that the written file has
  int64_t casts = 0;  ///< Cast nodes that were added
};

/// The placement of one model for one target: each layer and each edge with the decision, its rule and its reason.
struct PlanReport {
  std::string model, target;
  size_t samples = 0;  ///< plan_model and lint_model with data: how many were read, of all or the first alone; else 0
  std::string sample_digest;  ///< of those, as Provenance has it
  int64_t opset = 0;
  size_t nodes = 0;
  size_t folded_batchnorms = 0;
  struct Layer {
    std::string name, op;
    bool int8 = false;  ///< runs on the codes of PlanReport::coverage.type
    std::string rule, reason;
    int64_t macs = 0, params = 0;
  };
  std::vector<Layer> layers;
  struct Edge {
    std::string value, consumer, op;
    int slot = 0;
    bool pair = false;
    std::optional<int> scale_group;
    std::string rule, reason;
  };
  std::vector<Edge> edges;
  GraphReport graph;  ///< what layers and edges lie in; empty where a report was made without a model
  std::vector<std::string> notes;
  size_t quantized_values = 0;
  size_t shared_scale_groups = 0;
  CoverageReport coverage;
  struct Equalizable {
    std::string family;               ///< "gate"
    std::vector<std::string> values;  ///< whose channels equalization could even out; never empty
  };
  /// plan_model and compare_calibrators only, where what is not INT8 computes in 16 bits; else absent.
  std::optional<FloatReport> floats;
  /// plan_model only; nullopt where open sizes leave it unknown, which a note then says.
  std::optional<std::vector<Equalizable>> equalizable;
};

}  // namespace detent
