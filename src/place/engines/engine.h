#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/options/code_type.h"
#include "detent/reports/speed_estimate.h"
#include "model/graph/value_shapes.h"
#include "place/engines/decided.h"
#include "place/engines/engine_list.h"
#include "place/engines/operator_form.h"

namespace detent {

class Graph;
struct PlacementPlan;
struct Rule;
struct Target;

/// Types of biases that an engine takes.
enum class BiasTypes : uint8_t { FloatOnly, FloatOrInt32, Int32OrFloat };  ///< the first of two is the default

/// An operator that runs in float between pairs, and what its conversions cost, in INT8 layers that they undo.
struct FloatOperator {
  std::string_view op;
  double cost = 0;
};

/// The command that a user runs next with a file.
struct NextCommand {
  std::string_view file;  ///< path of the written model
  CodeType codes = CodeType::Int8;
  bool pairs = true;  ///< it has any
};

/// All that placement, and every room behind it, knows of one engine in all its versions and on all its devices; the
/// facts that differ between those are in Target. One constant for each engine, in src/place/engines/NAME/.
struct EngineDef {
  Decided<Engine> id;
  Decided<std::string_view> name;    ///< in --target: "tensorrt"
  Decided<std::string_view> title;   ///< in sentences: "TensorRT"
  Decided<std::string_view> family;  ///< in lists of findings: one word for engines that share their levels
  Decided<std::string_view> page;    ///< where its rules are explained
  /// Returns its versions or devices, the default first. Never empty.
  Decided<std::span<const Target> (*)()> targets;
  /// Its rules, shared ones included, in the order of their application.
  Decided<std::span<const Rule* const>> rules;
  Decided<std::string_view> other_engine;  ///< `lint` asks whether a file that it finds fault with is for that one

  // ---- what it takes ----
  Decided<int64_t> minimum_opset;      ///< the first opset with `axis`; older models are raised to it
  Decided<int64_t> newest_opset;       ///< the last opset whose operators its frontend knows; 0: none is known
  Decided<bool> takes_pairs;           ///< false: the file stays float, and a calibration cache has the scales
  Decided<bool> whole_graph;           ///< every float value carries a pair, outputs too: it has no float kernels
  Decided<bool> closes_outputs;        ///< a graph output that an INT8 kernel writes carries a pair
  Decided<bool> pairs_beside_foreign;  ///< a pair may stand behind an operator of another domain
  Decided<BiasTypes> biases;           ///< types of biases; an INT32 one has scale s_x * s_w
  Decided<bool> narrow_weights;        ///< INT8 weights have codes from -127 to 127
  /// It reads 8-bit codes with a zero point in their middle (INT8: 0, UINT8: 128) as symmetric ones of 128 steps.
  Decided<bool> rescales_middle;
  Decided<bool> channel_scales_of_products;  ///< weights of MatMul may have one scale for each output channel
  Decided<bool> uint8_single_scales;         ///< a weight with one scale is UINT8 with a zero point, not INT8
  Decided<bool> blocks_divide_rows;          ///< the rows of a weight in blocks are a multiple of the block
  /// Blocks are shortened where they do not divide the rows of a weight; 4-bit codes need an even number of rows.
  Decided<bool> shortens_blocks;
  Decided<bool> int8_weights_alone;  ///< 8-bit weights of a float layer stay 8-bit in what it builds
  Decided<bool> packs_products;      ///< a product of weights in codes is written as com.microsoft's MatMulNBits
  Decided<bool> gates_in_codes;      ///< a HardSwish between pairs is written as a Clip of codes and a product
  /// Forms of operators that it needs and exporters do not write, in the order of the changes.
  Decided<std::span<const OperatorForm>> forms;
  Decided<bool> half_bias_codes;            ///< it makes codes of a bias itself, in the type of the bias
  Decided<bool> runs_qoperators;            ///< QLinearConv and other operators on codes are kernels
  Decided<bool> float32_scales;             ///< scales are FP32 also beside FP16 values
  Decided<bool> half_scales_below_opset19;  ///< FP16 scales are taken although ONNX has them from opset 19 on

  // ---- how it runs pairs ----
  /// A pair in front of a layer and a quantized weight make it an INT8 layer, whatever stands behind it.
  Decided<bool> pairs_in_front_suffice;
  Decided<bool> fuses_residual_adds;       ///< an Add of two activations runs in the kernel of the layer before it
  Decided<bool> fuses_scaled_norms;        ///< a Mul by constants behind a normalization runs in its kernel
  Decided<bool> kernels_with_half_scales;  ///< layers between pairs with 16-bit scales run in INT8
  Decided<bool> requantizes_at_concat;     ///< inputs of a Concat with other scales cost time, not the file
  Decided<bool> gathers_codes;             ///< a Gather of codes with the DequantizeLinear behind it is one step
  /// Words for how it runs layers between INT8 pairs and BF16 values; empty: in INT8 kernels.
  Decided<std::string_view> beside_bf16;
  Decided<bool> fast_in_half;  ///< FP16 alone is an alternative, with which reports compare
  /// Operators that it runs in float between pairs; empty: what they cost was not measured.
  Decided<std::span<const FloatOperator>> slow_between_pairs;

  // ---- what only some have; nullptr: it has none ----
  /// Returns the first line of a calibration cache for the version.
  Decided<std::string (*)(const Target& target, std::string_view calibrator)> cache_version;
  /// Returns the names of nodes that stay FP32 beside 16-bit floats, where a version is not strongly typed.
  Decided<std::vector<std::string> (*)(const PlacementPlan& plan, const Graph& graph)> half_risks;
  /// Returns how long a plan's file takes on GPUs; nullopt where nothing tells.
  Decided<std::optional<SpeedEstimate> (*)(const PlacementPlan& plan, const Graph& graph, const ValueShapes& shapes)>
      estimate;
  /// Returns the command that builds or runs the written file.
  Decided<std::string (*)(const Target& target, const NextCommand& next)> next_command;
};

}  // namespace detent
