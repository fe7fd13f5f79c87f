#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/graph/graph.h"
#include "ops/simd/elementwise.h"

namespace detent {

enum class CellKind : uint8_t { Rnn, Gru, Lstm };

/// Activations that the recurrent operators name; alpha and beta as ONNX defines them for each.
struct CellActivation {
  enum class Function : uint8_t { Unary, Affine, ScaledTanh } function = Function::Unary;
  UnarySpec unary;
  float alpha = 1, beta = 0;

  /// Computes values[i] = f(clamp(values[i], -clip, clip)).
  void apply(std::span<float> values, float clip) const;
};

/// Attributes of RNN, GRU and LSTM, the same for all samples.
struct RecurrentSettings {
  CellKind kind = CellKind::Rnn;
  int64_t gates = 1;                      ///< blocks of rows in W and R: RNN 1, GRU 3 (z r h), LSTM 4 (i o f c)
  std::vector<bool> backwards = {false};  ///< one entry per direction
  std::vector<std::array<CellActivation, 3>> activations;  ///< f, g, h of each direction
  float clip = std::numeric_limits<float>::infinity();
  bool batch_first = false;
  bool linear_before_reset = false;
  bool coupled_forget = false;  ///< LSTM's input_forget: f = 1 - i
  bool run_time_codes = false;  ///< DynamicQuantizeLSTM
};

/// Reads the attributes. Errors  Unsupported for unknown directions and activations, naming them.
[[nodiscard]] RecurrentSettings recurrent_settings(const Node& node, CellKind kind);

}  // namespace detent
