#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detent/options/code_type.h"
#include "detent/options/float_types.h"
#include "detent/reports/graph_report.h"
#include "detent/reports/latency_report.h"
#include "detent/reports/runs.h"
#include "detent/reports/speed_estimate.h"
#include "detent/reports/speed_outlook.h"

namespace detent {

/// Share of a model that runs in INT8, or in FP8 if that is the plan's type. Layers are the weighted operators (Conv,
/// Gemm, MatMul ...).
struct CoverageReport {
  int64_t layers = 0, int8_layers = 0;
  int64_t macs = 0, int8_macs = 0;  ///< 0 where sizes are open
  int64_t params = 0, int8_params = 0;
  /// Of the float values that some edge reads, four bytes an element whatever its type; they count as INT8 when a pair
  /// stands on the value. 0 where sizes are open.
  int64_t activation_bytes = 0, int8_activation_bytes = 0;
  int64_t pairs = 0;  ///< QuantizeLinear/DequantizeLinear pairs on activations that are written
  CodeType type = CodeType::Int8;
  /// In the types of the written file: a layer counts with the type of its output, a value with its type; INT8 as
  /// above.
  TypeShares types;
  int64_t casts = 0;  ///< Cast nodes that were added
  /// Layers with 16-bit activations beside layers of 8 bits; they are not among those of INT8.
  int64_t int16_layers = 0, int16_macs = 0;
  int64_t embedding_params = 0, int8_embedding_params = 0;  ///< numbers of tables that Gather reads
};

/// Placement of one model for one target: the decision, rule and reason for each layer and edge.
struct PlanReport {
  std::string model, target;
  size_t samples = 0;         ///< that plan_model and lint_model read: all, or one for its sizes; 0 without data
  std::string sample_digest;  ///< of these samples, as Provenance::sample_digest
  int64_t opset = 0;
  size_t nodes = 0;
  size_t folded_batchnorms = 0;
  size_t folded_operators = 0;  ///< Add, Sub, Mul and Div by constants
  struct Layer {
    std::string name, op;
    Runs runs = Runs::Float;
    std::string rule, reason;
    int64_t macs = 0, params = 0;

    [[nodiscard]] bool runs_on_codes() const { return on_codes(runs); }
  };
  std::vector<Layer> layers;
  struct Edge {
    std::string value, consumer, op;
    int slot = 0;
    Reads reads = Reads::Float;
    std::optional<int> scale_group;
    std::string rule, reason;
    CodeType codes = CodeType::Int8;  ///< of the pair that it reads
    std::string overruled = {};       ///< the rule that wanted the opposite: "R8 pooling and elementwise"; may be empty
  };
  std::vector<Edge> edges;
  /// A node with 16-bit activations beside nodes of 8 bits.
  struct WideNode {
    std::string name, op, rule, reason;
  };
  std::vector<WideNode> wide_nodes;  ///< in execution order
  /// A block of attention and what the engine makes of it.
  struct Attention {
    std::string first_product, softmax, second_product;  ///< names of the products and of what ends the Softmax; all
                                                         ///< the same for the operator Attention
    size_t heads = 0, head_size = 0;                     ///< 0 where open or not known
    size_t queries = 0, keys = 0;                        ///< tokens; 0 where open or not known
    bool masked = false;                                 ///< something is added to the scores, or chooses among them
    bool rotary = false;                                 ///< positions turn queries and keys
    bool grouped = false;                                ///< several heads of queries share keys
    Runs runs = Runs::Float;                             ///< on codes: its operands have pairs
    std::string rule, reason;                            ///< what it becomes, and why
    std::string otherwise;                               ///< what the other choice of --policy attention gives
    int64_t macs = 0;  ///< of both products; 0 where sizes are open. No part of the coverage
  };
  std::vector<Attention> attention;  ///< in execution order; empty for engines that fuse none
  GraphReport graph;                 ///< empty where the report was made without a model
  std::vector<std::string> notes;
  size_t quantized_values = 0;
  size_t shared_scale_groups = 0;
  CoverageReport coverage;
  struct Equalizable {
    std::string family;               ///< "gate"
    std::vector<std::string> values;  ///< whose channels equalization could even out; never empty
  };
  /// Set by plan_model and compare_calibrators where nodes that are not INT8 compute in 16 bits; else absent.
  std::optional<FloatReport> floats;
  /// Set by plan_model; absent where open sizes leave it unknown, which a note then says.
  std::optional<std::vector<Equalizable>> equalizable;
  /// Set by plan_model and lint_model for INT8 with TensorRT, in node order; else empty.
  std::vector<StandaloneQuantizer> quantizers;
  /// Set by plan_model, and by lint_model for files with pairs, for INT8 with TensorRT.
  std::optional<SpeedOutlook> outlook;
  /// Set by plan_model for INT8 with TensorRT, where sizes are known and something has a pair.
  std::optional<SpeedEstimate> estimate;
  /// Knowledge of the table of plan_model() about networks with such layers; one a machine. Empty without a table.
  std::vector<LatencyForecast> forecasts;
  /// How outputs hold a detector's boxes and scores, in words; set by plan_model, empty where none were recognized.
  std::string detections;
};

}  // namespace detent
