#pragma once

#include <map>
#include <optional>
#include <string>

#include "rewrite/dynamic_product.h"

namespace detent {

/// Returns a weight of an LSTM, [directions, rows of all gates, inner], as one matrix with a row for each output.
[[nodiscard]] Tensor lstm_rows(const Tensor& weight);

/// Writer of LSTMs with INT8 weights whose data get scale and codes at run time: DynamicQuantizeLSTM of com.microsoft,
/// named after the node. Each output keeps its name. The LSTM stays, read by nothing (replaced_products).
/// Source  onnxruntime, docs/ContribOperators.md; rule O14.
class DynamicLstms {
 public:
  explicit DynamicLstms(RewriteContext& context) : context_(context) {}

  /// Adds the constants of a weight: codes turned over, [directions, inner, rows], scales and zero points.
  /// quantized  of lstm_rows(), with a scale for each row or one for all. shape  that of the weight
  [[nodiscard]] static DynamicProduct::Weight add_weight(PairWriter& writer, const std::string& wish,
                                                         const QuantizedWeight& quantized, const Shape& shape);
  /// Takes W or R; writes the node when both have come.
  void write(const WeightDecision& decision, const DynamicProduct::Weight& weight);

 private:
  void take_out(const Node& node);

  RewriteContext& context_;
  std::map<NodeId, std::map<int, DynamicProduct::Weight>> weights_;  // by slot
};

/// Such a node in a graph.
struct WrittenLstm {
  /// A weight as rows: those of lstm_rows(), with one scale and zero point each.
  struct Rows {
    Tensor codes, scales, zero_points;
  };
  const Node* node = nullptr;  ///< never nullptr
  Rows w, r;
};

/// Finds the DynamicQuantizeLSTM with constant INT8 weights that writes a value; nullopt where none does.
[[nodiscard]] std::optional<WrittenLstm> find_dynamic_lstm(const Graph& graph, MaybeValue output);

}  // namespace detent
