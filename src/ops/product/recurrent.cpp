// RNN, GRU and LSTM: the input's share of all gates in one product over all steps, then one small product a step.
//
// ONNX Runtime's DynamicQuantizeLSTM is an LSTM whose weights are codes, with a scale found at run time for X as a
// whole and, at each step, for the hidden states of all samples. Here X and the states are rounded to the codes and
// weights multiplied as floats: the same numbers, up to rounding in float. Source: onnxruntime,
// docs/ContribOperators.md; its results.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/index.h"
#include "model/graph/graph.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/product/dynamic_lstm.h"
#include "ops/product/recurrent_settings.h"
#include "ops/product/row_product.h"
#include "ops/simd/elementwise.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

struct Extents {
  int64_t steps, batch, inputs, hidden, directions;
};

/// Input slots; GRU and RNN have the first six, DynamicQuantizeLSTM alone the last four.
enum RecurrentSlot : size_t {
  kX,
  kW,
  kR,
  kB,
  kLengths,
  kInitialH,
  kInitialC,
  kPeepholes,
  kWScale,
  kWZeroPoint,
  kRScale,
  kRZeroPoint
};

/// W and R as floats, in the shapes of LSTM.
struct CellWeights {
  Tensor w, r;
};

void expect_shape(const Tensor& input, const char* name, const Shape& shape) {
  if (input.shape() == shape) return;
  throw Error(ErrorCode::InvalidData, std::string("input ") + name + " has shape " + input.shape().to_string() +
                                          ", expected " + shape.to_string());
}

void expect_shape(const KernelCall& call, size_t slot, const char* name, const Shape& shape) {
  if (call.has_input(slot)) expect_shape(call.input(slot), name, shape);
}

Extents extents_of(const KernelCall& call, const RecurrentSettings& settings, const CellWeights& weights) {
  const Shape& x = call.input(kX).shape();
  const Shape& r = weights.r.shape();
  if (x.rank() != 3 || r.rank() != 3)
    throw Error(ErrorCode::InvalidData,
                "inputs of shapes " + x.to_string() + " and " + r.to_string() + ", expected three axes in X and R");
  const Extents e{settings.batch_first ? x[1] : x[0], settings.batch_first ? x[0] : x[1], x[2], r[2],
                  std::ssize(settings.backwards)};
  const Shape state =
      settings.batch_first ? Shape{e.batch, e.directions, e.hidden} : Shape{e.directions, e.batch, e.hidden};
  expect_shape(weights.w, "W", {e.directions, settings.gates * e.hidden, e.inputs});
  expect_shape(weights.r, "R", {e.directions, settings.gates * e.hidden, e.hidden});
  expect_shape(call, kB, "B", {e.directions, 2 * settings.gates * e.hidden});
  expect_shape(call, kLengths, "sequence_lens", {e.batch});
  expect_shape(call, kInitialH, "initial_h", state);
  if (settings.kind == CellKind::Lstm) {
    expect_shape(call, kInitialC, "initial_c", state);
    expect_shape(call, kPeepholes, "P", {e.directions, 3 * e.hidden});
  }
  for (size_t slot = 0; slot < std::min<size_t>(call.input_count(), kPeepholes + 1); ++slot)
    if (slot != kLengths && !(settings.run_time_codes && (slot == kW || slot == kR)) && call.has_input(slot) &&
        call.input(slot).type() != DataType::Float32)
      throw unsupported_type(call.input(slot).type());
  return e;
}

std::vector<int64_t> lengths_of(const KernelCall& call, const Extents& e) {
  if (!call.has_input(kLengths)) return std::vector<int64_t>(as_index(e.batch), e.steps);
  std::vector<int64_t> lengths = integers_of(call.input(kLengths));
  for (const int64_t length : lengths)
    if (length < 0 || length > e.steps)
      throw Error(ErrorCode::InvalidData, "sequence_lens holds " + std::to_string(length) + ", but X has " +
                                              std::to_string(e.steps) + " steps");
  return lengths;
}

/// One direction of one call.
class Pass {
 public:
  Pass(KernelCall& call, const RecurrentSettings& settings, const CellWeights& weights, const Extents& extents,
       const std::vector<int64_t>& lengths, int64_t direction)
      : call_(call), s_(settings), e_(extents), lengths_(lengths), direction_(direction), w_(of_direction(weights.w)),
        r_(of_direction(weights.r)), functions_(settings.activations[as_index(direction)]),
        width_(settings.gates * extents.hidden), shared_(memory(extents.steps * extents.batch * width_)),
        gates_(memory(extents.batch * width_)), h_(memory(extents.batch * extents.hidden)),
        c_(memory(extents.batch * extents.hidden)), side_(memory(extents.batch * extents.hidden)),
        rounded_(memory(settings.run_time_codes ? extents.batch * extents.hidden : 0)) {}

  /// Writes this direction's part of Y, which was zeroed, and of the last states; each may be null.
  void run(float* y, float* last_h, float* last_c) {
    share_of_inputs();
    load_state(kInitialH, floats(h_));
    if (s_.kind == CellKind::Lstm) load_state(kInitialC, floats(c_));
    for (int64_t step = 0; step < e_.steps; ++step) {
      begin_step(step);
      switch (s_.kind) {
        case CellKind::Rnn: rnn_step(); break;
        case CellKind::Gru: gru_step(); break;
        case CellKind::Lstm: lstm_step(); break;
      }
      end_step(step, y);
    }
    for (int64_t b = 0; b < e_.batch; ++b) {
      if (last_h) std::copy_n(floats(h_) + b * e_.hidden, e_.hidden, last_h + state_offset(b));
      if (last_c) std::copy_n(floats(c_) + b * e_.hidden, e_.hidden, last_c + state_offset(b));
    }
  }

 private:
  [[nodiscard]] Tensor memory(int64_t count) const { return Tensor(DataType::Float32, {count}, call_.allocator()); }
  static float* floats(Tensor& tensor) { return tensor.mutable_data<float>().data(); }

  /// Returns this direction's slice of a per-direction operand; nullptr when it is left out.
  [[nodiscard]] const float* operand(RecurrentSlot slot) const {
    return call_.has_input(slot) ? of_direction(call_.input(slot)) : nullptr;
  }
  [[nodiscard]] const float* of_direction(const Tensor& tensor) const {
    return tensor.data<float>().data() + direction_ * tensor.shape().element_count(1, tensor.shape().rank());
  }

  [[nodiscard]] int64_t state_offset(int64_t b) const {
    return (s_.batch_first ? b * e_.directions + direction_ : direction_ * e_.batch + b) * e_.hidden;
  }

  /// Returns the step of sample b's sequence that is computed in round `step`, which lies before its end.
  [[nodiscard]] int64_t time_of(int64_t step, int64_t b) const {
    const int64_t length = lengths_[as_index(b)];
    return s_.backwards[as_index(direction_)] ? length - 1 - step : step;
  }
  [[nodiscard]] bool is_active(int64_t step, int64_t b) const { return step < lengths_[as_index(b)]; }

  /// Computes X * W^T and every bias that is added outside the reset gate, for all steps at once, rows in X's order.
  void share_of_inputs() {
    float* shared = floats(shared_);
    const int64_t rows = e_.steps * e_.batch;
    Tensor x = call_.input(kX);
    if (s_.run_time_codes) {
      x = x.clone();
      round_at_run_time(x.mutable_data<float>());
    }
    multiply_rows(x.data<float>().data(), w_, shared, rows, width_, e_.inputs);
    const float* bias = operand(kB);
    if (!bias) return;
    const int64_t both = s_.linear_before_reset && s_.kind == CellKind::Gru ? 2 * e_.hidden : width_;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < width_; ++i) shared[row * width_ + i] += bias[i] + (i < both ? bias[width_ + i] : 0);
  }

  void load_state(RecurrentSlot slot, float* state) {
    if (!call_.has_input(slot)) return std::fill_n(state, e_.batch * e_.hidden, 0.0F), void();
    const float* given = call_.input(slot).data<float>().data();
    for (int64_t b = 0; b < e_.batch; ++b) std::copy_n(given + state_offset(b), e_.hidden, state + b * e_.hidden);
  }

  void begin_step(int64_t step) {
    for (int64_t b = 0; b < e_.batch; ++b) {
      float* row = floats(gates_) + b * width_;
      if (!is_active(step, b)) {
        std::fill_n(row, width_, 0.0F);
        continue;
      }
      const int64_t t = time_of(step, b);
      std::copy_n(floats(shared_) + (s_.batch_first ? b * e_.steps + t : t * e_.batch + b) * width_, width_, row);
    }
  }

  /// Adds H * R^T for gates [first, last).
  void add_recurrence(const float* state, int64_t first, int64_t last) {
    if (s_.run_time_codes) {
      std::copy_n(state, e_.batch * e_.hidden, floats(rounded_));
      state = floats(rounded_);
      round_at_run_time(rounded_.mutable_data<float>());
    }
    multiply_transposed({.a = state,
                         .a_row = e_.hidden,
                         .b = r_ + first * e_.hidden * e_.hidden,
                         .c = floats(gates_) + first * e_.hidden,
                         .c_row = width_,
                         .m = e_.batch,
                         .n = (last - first) * e_.hidden,
                         .k = e_.hidden,
                         .adds = true});
  }

  [[nodiscard]] std::span<float> gate(int64_t b, int64_t index, int64_t count = 1) {
    return {floats(gates_) + b * width_ + index * e_.hidden, as_index(count * e_.hidden)};
  }

  void rnn_step() {
    add_recurrence(floats(h_), 0, 1);
    for (int64_t b = 0; b < e_.batch; ++b) functions_[0].apply(gate(b, 0), s_.clip);
  }

  /// Computes gates z, r, h and leaves the new state in the last one.
  void gru_step() {
    add_recurrence(floats(h_), 0, 2);
    for (int64_t b = 0; b < e_.batch; ++b) functions_[0].apply(gate(b, 0, 2), s_.clip);
    const float* bias = operand(kB);
    float* side = floats(side_);
    if (s_.linear_before_reset)
      multiply_rows(floats(h_), r_ + 2 * e_.hidden * e_.hidden, side, e_.batch, e_.hidden, e_.hidden);
    for (int64_t b = 0; b < e_.batch; ++b)
      for (int64_t i = 0; i < e_.hidden; ++i) {
        const float reset = gate(b, 1)[as_index(i)];
        float& x = side[b * e_.hidden + i];
        if (s_.linear_before_reset)
          gate(b, 2)[as_index(i)] += reset * (x + (bias ? bias[width_ + 2 * e_.hidden + i] : 0));
        else
          x = reset * floats(h_)[b * e_.hidden + i];
      }
    if (!s_.linear_before_reset) add_recurrence(side, 2, 3);
    for (int64_t b = 0; b < e_.batch; ++b) {
      functions_[1].apply(gate(b, 2), s_.clip);
      for (int64_t i = 0; i < e_.hidden; ++i) {
        const float update = gate(b, 0)[as_index(i)];
        float& fresh = gate(b, 2)[as_index(i)];
        fresh = (1 - update) * fresh + update * floats(h_)[b * e_.hidden + i];
      }
    }
  }

  void add_peephole(int64_t b, int64_t gate_index, int64_t peephole, const float* cell) {
    const float* weights = operand(kPeepholes);
    if (!weights) return;
    for (int64_t i = 0; i < e_.hidden; ++i)
      gate(b, gate_index)[as_index(i)] += weights[peephole * e_.hidden + i] * cell[i];
  }

  /// Computes gates i, o, f, c (in memory), with peepholes i, o, f. Leaves the new hidden state in gate c, the cell
  /// state in side_.
  void lstm_step() {
    add_recurrence(floats(h_), 0, 4);
    for (int64_t b = 0; b < e_.batch; ++b) {
      const float* old_cell = floats(c_) + b * e_.hidden;
      float* cell = floats(side_) + b * e_.hidden;
      add_peephole(b, 0, 0, old_cell);
      add_peephole(b, 2, 2, old_cell);
      const auto input = gate(b, 0), output = gate(b, 1), forget = gate(b, 2), fresh = gate(b, 3);
      functions_[0].apply(input, s_.clip);
      functions_[0].apply(forget, s_.clip);
      functions_[1].apply(fresh, s_.clip);
      for (size_t i = 0; i < fresh.size(); ++i)
        cell[i] = (s_.coupled_forget ? 1 - input[i] : forget[i]) * old_cell[i] + input[i] * fresh[i];
      add_peephole(b, 1, 1, cell);
      functions_[0].apply(output, s_.clip);
      std::copy_n(cell, e_.hidden, fresh.data());
      // ONNX Runtime does not clip the cell state.
      functions_[2].apply(fresh, s_.run_time_codes ? std::numeric_limits<float>::infinity() : s_.clip);
      for (size_t i = 0; i < fresh.size(); ++i) fresh[i] *= output[i];
    }
  }

  /// Copies the new hidden state from the last gate; samples whose sequence has ended keep theirs.
  void end_step(int64_t step, float* y) {
    for (int64_t b = 0; b < e_.batch; ++b) {
      if (!is_active(step, b)) continue;
      const float* fresh = gate(b, s_.gates - 1).data();
      std::copy_n(fresh, e_.hidden, floats(h_) + b * e_.hidden);
      if (s_.kind == CellKind::Lstm) std::copy_n(floats(side_) + b * e_.hidden, e_.hidden, floats(c_) + b * e_.hidden);
      if (!y) continue;
      const int64_t t = time_of(step, b);
      const int64_t row = s_.batch_first ? (b * e_.steps + t) * e_.directions + direction_
                                         : (t * e_.directions + direction_) * e_.batch + b;
      std::copy_n(fresh, e_.hidden, y + row * e_.hidden);
    }
  }

  KernelCall& call_;
  const RecurrentSettings& s_;
  const Extents& e_;
  const std::vector<int64_t>& lengths_;
  int64_t direction_;
  const float *w_, *r_;  // of this direction
  const std::array<CellActivation, 3>& functions_;
  int64_t width_;  // of a row of all gates
  Tensor shared_, gates_, h_, c_, side_, rounded_;
};

void run_cells(KernelCall& call, const RecurrentSettings& settings, const CellWeights& weights) {
  const Extents e = extents_of(call, settings, weights);
  const std::vector<int64_t> lengths = lengths_of(call, e);
  const Shape y_shape = settings.batch_first ? Shape{e.batch, e.steps, e.directions, e.hidden}
                                             : Shape{e.steps, e.directions, e.batch, e.hidden};
  const Shape state_shape =
      settings.batch_first ? Shape{e.batch, e.directions, e.hidden} : Shape{e.directions, e.batch, e.hidden};
  const auto output = [&](size_t i, const Shape& shape) -> float* {
    if (!call.wants_output(i)) return nullptr;
    const auto values = call.make_output(i, DataType::Float32, shape).mutable_data<float>();
    std::ranges::fill(values, 0.0F);
    return values.data();
  };
  float* y = output(0, y_shape);
  float* h = output(1, state_shape);
  float* c = settings.kind == CellKind::Lstm ? output(2, state_shape) : nullptr;
  for (int64_t direction = 0; direction < e.directions; ++direction)
    Pass(call, settings, weights, e, lengths, direction).run(y, h, c);
}

void run_recurrent(KernelCall& call, const RecurrentSettings& settings) {
  run_cells(call, settings, {call.input(kW), call.input(kR)});
}

/// Returns the weights that the codes stand for; empty handles where they are not constant, or may not be kept.
CellWeights constant_weights(const KernelContext& context) {
  const auto weights = [&](size_t codes, size_t scales, size_t points) -> Tensor {
    const Tensor *a = context.constant(codes), *b = context.constant(scales), *c = context.constant(points);
    return a && b && c && context.keep_copies ? lstm_weights(*a, *b, *c) : Tensor();
  };
  return {weights(kW, kWScale, kWZeroPoint), weights(kR, kRScale, kRZeroPoint)};
}

RecurrentSettings dynamic_lstm_settings(const Node& node) {
  RecurrentSettings settings = recurrent_settings(node, CellKind::Lstm);
  settings.run_time_codes = true;
  for (const size_t slot : {kWScale, kWZeroPoint, kRScale, kRZeroPoint})
    if (!node.input(slot)) throw Error(ErrorCode::InvalidModel, "input " + std::to_string(slot) + " is left out");
  return settings;
}

std::unique_ptr<Kernel> make_dynamic_lstm(const KernelContext& context) {
  return kernel_of([settings = dynamic_lstm_settings(context.node),
                    kept = constant_weights(context)](KernelCall& call) {
    const auto weights = [&](const Tensor& known, size_t codes, size_t scales, size_t points) {
      return known.empty_handle() ? lstm_weights(call.input(codes), call.input(scales), call.input(points)) : known;
    };
    run_cells(call, settings, {weights(kept.w, kW, kWScale, kWZeroPoint), weights(kept.r, kR, kRScale, kRZeroPoint)});
  });
}

template <CellKind kind>
RecurrentSettings settings_of_kind(const Node& node) {
  return recurrent_settings(node, kind);
}

template <CellKind kind>
OperatorDef recurrent_operator(std::string_view name) {
  constexpr auto read = settings_of_kind<kind>;
  constexpr auto make = with_float<make_with<read, run_recurrent>>;
  return {name, {.data_inputs = 1}, make, 7, LayoutNeed::Plain, refuse_unreadable<read>};
}

}  // namespace

std::vector<OperatorDef> recurrent_operators() {
  return {recurrent_operator<CellKind::Rnn>("RNN"), recurrent_operator<CellKind::Gru>("GRU"),
          recurrent_operator<CellKind::Lstm>("LSTM")};
}

const OperatorDef& dynamic_lstm_operator() {
  static const OperatorDef definition{.op_type = "DynamicQuantizeLSTM",
                                      .traits = {.kind = OpKind::QOperator},
                                      .make = make_dynamic_lstm,
                                      .check = refuse_unreadable<dynamic_lstm_settings>};
  return definition;
}

}  // namespace detent
