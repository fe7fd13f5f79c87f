// RNN, GRU and LSTM: the input's share of all gates in one product over all steps, then one small product a step.

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
#include "ops/product/row_product.h"
#include "ops/simd/elementwise.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

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
};

using Function = CellActivation::Function;

/// The function that a name stands for, with the defaults of the operator of that name. Source: ONNX operators, RNN.
struct KnownActivation {
  std::string_view name;  // lower case: names are written in any
  Function function;
  UnaryFunction unary;
  bool takes_alpha, takes_beta;
  float alpha, beta;
};

constexpr KnownActivation kKnown[] = {
    {"relu", Function::Unary, UnaryFunction::Relu, false, false, 0, 0},
    {"tanh", Function::Unary, UnaryFunction::Tanh, false, false, 0, 0},
    {"sigmoid", Function::Unary, UnaryFunction::Sigmoid, false, false, 0, 0},
    {"affine", Function::Affine, {}, true, true, 1, 0},
    {"leakyrelu", Function::Unary, UnaryFunction::LeakyRelu, true, false, 0.01F, 0},
    {"thresholdedrelu", Function::Unary, UnaryFunction::ThresholdedRelu, true, false, 1, 0},
    {"scaledtanh", Function::ScaledTanh, UnaryFunction::Tanh, true, true, 1, 1},
    {"hardsigmoid", Function::Unary, UnaryFunction::HardSigmoid, true, true, 0.2F, 0.5F},
    {"elu", Function::Unary, UnaryFunction::Elu, true, false, 1, 0},
    {"softsign", Function::Unary, UnaryFunction::Softsign, false, false, 0, 0},
    {"softplus", Function::Unary, UnaryFunction::Softplus, false, false, 0, 0},
};

std::string lower(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// A reader of names and their parameters; activation_alpha and activation_beta list only what is needed, in that
/// order.
class ActivationReader {
 public:
  explicit ActivationReader(const Node& node)
      : alphas_(node.floats_or("activation_alpha", {})), betas_(node.floats_or("activation_beta", {})) {}

  CellActivation read(const std::string& name) {
    const auto* known = std::ranges::find(kKnown, lower(name), &KnownActivation::name);
    if (known == std::end(kKnown)) throw Error(ErrorCode::Unsupported, "attribute activations names '" + name + "'");
    const float alpha = known->takes_alpha ? next(alphas_, next_alpha_, known->alpha) : known->alpha;
    const float beta = known->takes_beta ? next(betas_, next_beta_, known->beta) : known->beta;
    return {known->function, {known->unary, alpha, beta}, alpha, beta};
  }

 private:
  static float next(const std::vector<float>& given, size_t& at, float fallback) {
    return at < given.size() ? given[at++] : fallback;
  }

  std::vector<float> alphas_, betas_;
  size_t next_alpha_ = 0, next_beta_ = 0;
};

/// Returns one entry per direction: whether it goes backwards.
std::vector<bool> directions_of(const Node& node) {
  enum class Direction : uint8_t { Forward, Reverse, Both };
  constexpr Named<Direction> kDirections[] = {
      {"forward", Direction::Forward}, {"reverse", Direction::Reverse}, {"bidirectional", Direction::Both}};
  const Direction direction = value_named(node, "direction", "forward", kDirections);
  return direction == Direction::Both ? std::vector<bool>{false, true} : std::vector{direction == Direction::Reverse};
}

std::vector<std::string> default_activations(CellKind kind) {
  switch (kind) {
    case CellKind::Rnn: return {"Tanh"};
    case CellKind::Gru: return {"Sigmoid", "Tanh"};
    default: return {"Sigmoid", "Tanh", "Tanh"};
  }
}

void CellActivation::apply(std::span<float> values, float clip) const {
  if (clip != std::numeric_limits<float>::infinity())
    for (float& x : values) x = std::clamp(x, -clip, clip);
  if (function == Function::ScaledTanh)
    for (float& x : values) x *= beta;
  if (function != Function::Affine)
    apply_unary(function == Function::ScaledTanh ? UnarySpec{UnaryFunction::Tanh} : unary, values.data(), values.data(),
                values.size());
  if (function == Function::ScaledTanh)
    for (float& x : values) x *= alpha;
  if (function == Function::Affine)
    for (float& x : values) x = alpha * x + beta;
}

/// Reads the attributes. Errors  Unsupported for unknown directions and activations, naming them.
template <CellKind kind>
RecurrentSettings recurrent_settings(const Node& node) {
  RecurrentSettings settings;
  settings.kind = kind;
  settings.gates = kind == CellKind::Rnn ? 1 : kind == CellKind::Gru ? 3 : 4;
  settings.backwards = directions_of(node);
  settings.batch_first = node.int_or("layout", 0) != 0;
  settings.linear_before_reset = node.int_or("linear_before_reset", 0) != 0;
  settings.coupled_forget = node.int_or("input_forget", 0) != 0;
  if (const float clip = node.float_or("clip", 0); clip > 0) settings.clip = clip;
  std::vector<std::string> names;
  if (const AttributeValue* given = node.find_attribute("activations"))
    if (const auto* list = std::get_if<std::vector<std::string>>(given)) names = *list;
  const std::vector<std::string> usual = default_activations(kind);
  if (names.empty())
    for (size_t direction = 0; direction < settings.backwards.size(); ++direction)
      names.insert(names.end(), usual.begin(), usual.end());
  if (names.size() != usual.size() * settings.backwards.size())
    throw Error(ErrorCode::InvalidModel, "attribute activations holds " + std::to_string(names.size()) +
                                             " names, expected " +
                                             std::to_string(usual.size() * settings.backwards.size()));
  ActivationReader reader(node);
  for (size_t direction = 0; direction < settings.backwards.size(); ++direction) {
    auto& functions = settings.activations.emplace_back();
    for (size_t i = 0; i < usual.size(); ++i) functions[i] = reader.read(names[direction * usual.size() + i]);
  }
  return settings;
}

struct Extents {
  int64_t steps, batch, inputs, hidden, directions;
};

/// Input slots; GRU and RNN have the first six.
enum RecurrentSlot : size_t { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

void expect_shape(const KernelCall& call, size_t slot, const char* name, const Shape& shape) {
  if (!call.has_input(slot) || call.input(slot).shape() == shape) return;
  throw Error(ErrorCode::InvalidData, std::string("input ") + name + " has shape " +
                                          call.input(slot).shape().to_string() + ", expected " + shape.to_string());
}

Extents extents_of(const KernelCall& call, const RecurrentSettings& settings) {
  const Shape& x = call.input(kX).shape();
  const Shape& r = call.input(kR).shape();
  if (x.rank() != 3 || r.rank() != 3)
    throw Error(ErrorCode::InvalidData,
                "inputs of shapes " + x.to_string() + " and " + r.to_string() + ", expected three axes in X and R");
  const Extents e{settings.batch_first ? x[1] : x[0], settings.batch_first ? x[0] : x[1], x[2], r[2],
                  std::ssize(settings.backwards)};
  const Shape state =
      settings.batch_first ? Shape{e.batch, e.directions, e.hidden} : Shape{e.directions, e.batch, e.hidden};
  expect_shape(call, kW, "W", {e.directions, settings.gates * e.hidden, e.inputs});
  expect_shape(call, kR, "R", {e.directions, settings.gates * e.hidden, e.hidden});
  expect_shape(call, kB, "B", {e.directions, 2 * settings.gates * e.hidden});
  expect_shape(call, kLengths, "sequence_lens", {e.batch});
  expect_shape(call, kInitialH, "initial_h", state);
  if (settings.kind == CellKind::Lstm) {
    expect_shape(call, kInitialC, "initial_c", state);
    expect_shape(call, kPeepholes, "P", {e.directions, 3 * e.hidden});
  }
  for (size_t slot = 0; slot < call.input_count(); ++slot)
    if (slot != kLengths && call.has_input(slot) && call.input(slot).type() != DataType::Float32)
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
  Pass(KernelCall& call, const RecurrentSettings& settings, const Extents& extents, const std::vector<int64_t>& lengths,
       int64_t direction)
      : call_(call), s_(settings), e_(extents), lengths_(lengths), direction_(direction),
        functions_(settings.activations[as_index(direction)]), width_(settings.gates * extents.hidden),
        shared_(memory(extents.steps * extents.batch * width_)), gates_(memory(extents.batch * width_)),
        h_(memory(extents.batch * extents.hidden)), c_(memory(extents.batch * extents.hidden)),
        side_(memory(extents.batch * extents.hidden)) {}

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
    if (!call_.has_input(slot)) return nullptr;
    const Tensor& tensor = call_.input(slot);
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
    multiply_rows(call_.input(kX).data<float>().data(), operand(kW), shared, rows, width_, e_.inputs);
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
    multiply_transposed({.a = state,
                         .a_row = e_.hidden,
                         .b = operand(kR) + first * e_.hidden * e_.hidden,
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
      multiply_rows(floats(h_), operand(kR) + 2 * e_.hidden * e_.hidden, side, e_.batch, e_.hidden, e_.hidden);
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
      functions_[2].apply(fresh, s_.clip);
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
  const std::array<CellActivation, 3>& functions_;
  int64_t width_;  // of a row of all gates
  Tensor shared_, gates_, h_, c_, side_;
};

void run_recurrent(KernelCall& call, const RecurrentSettings& settings) {
  const Extents e = extents_of(call, settings);
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
    Pass(call, settings, e, lengths, direction).run(y, h, c);
}

template <CellKind kind>
OperatorDef recurrent_operator(std::string_view name) {
  constexpr auto read = recurrent_settings<kind>;
  constexpr auto make = with_float<make_with<read, run_recurrent>>;
  return {name, {.data_inputs = 1}, make, 7, LayoutNeed::Plain, refuse_unreadable<read>};
}

}  // namespace

std::vector<OperatorDef> recurrent_operators() {
  return {recurrent_operator<CellKind::Rnn>("RNN"), recurrent_operator<CellKind::Gru>("GRU"),
          recurrent_operator<CellKind::Lstm>("LSTM")};
}

}  // namespace detent
