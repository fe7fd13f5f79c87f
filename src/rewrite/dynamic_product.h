#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rewrite/rewrite_context.h"
#include "rewrite/weight_quantizer.h"

namespace detent {

/// Writer of products whose data get scale and codes at run time, in the form that ONNX Runtime makes one kernel of:
///
///   x --> DynamicQuantizeLinear --> MatMulInteger(codes of w) --> Cast --> Mul --> (Add of a Gemm's bias) --> y
///                   +-- scale --> Mul(scales of w) --------------------------^
///
/// Products of one value share its DynamicQuantizeLinear. MatMulInteger is named after the node, and y keeps its name.
/// Source  ONNX DynamicQuantizeLinear-11, MatMulInteger-10; rule O13 for the form.
class DynamicProduct {
 public:
  /// Names of constants: codes (inner x columns), scales, and the zero point of codes that have one.
  struct Weight {
    std::string codes, scales, zero_point;
  };

  explicit DynamicProduct(RewriteContext& context) : context_(context) {}

  /// Adds the constants of a weight. turned  its rows are output columns
  [[nodiscard]] static Weight add_weight(PairWriter& writer, const std::string& wish, QuantizedWeight quantized,
                                         bool turned);
  /// Puts the nodes in the place of the product, which stays, read by nothing (replaced_products).
  void write(const WeightDecision& decision, const Weight& weight);

 private:
  struct Codes {
    std::string codes, scale, zero_point;
  };
  /// Returns the outputs of the DynamicQuantizeLinear of a value, the same for all its readers.
  const Codes& codes_of(ValueId data);
  /// Lets nothing read the node, which stays: patches that only add can be laid side by side (PatchUnion).
  void take_out(const Node& node);
  std::string add(const std::string& op, const std::string& name, std::vector<std::string> inputs,
                  std::vector<Attribute> attributes = {});

  RewriteContext& context_;
  std::map<ValueId, Codes> codes_;
};

/// Returns the names of the products for which others stand in the rewritten graph.
[[nodiscard]] std::vector<std::string> replaced_products(const Graph& graph, const PlacementPlan& plan);

/// Such a product in a graph.
struct WrittenDynamicProduct {
  std::vector<NodeId> nodes;           ///< all of them, the DynamicQuantizeLinear too
  ValueId data{};                      ///< that is quantized at run time
  const Tensor* codes = nullptr;       ///< of the weight, inner x columns; never nullptr
  const Tensor* scales = nullptr;      ///< never nullptr
  const Tensor* zero_point = nullptr;  ///< nullptr: 0
  MaybeValue bias;                     ///< added behind

  /// Returns the zero points of the codes as Int32, one for each of the scales.
  [[nodiscard]] Tensor zero_points(const Shape& scales_shape) const;
};

/// Finds the product that writes a value; nullopt where none does.
[[nodiscard]] std::optional<WrittenDynamicProduct> find_dynamic_product(const Graph& graph, MaybeValue output);

/// Returns a matrix of 8-bit codes with rows and columns exchanged.
[[nodiscard]] Tensor transposed(const Tensor& codes);

}  // namespace detent
