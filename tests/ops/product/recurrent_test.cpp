// RNN, GRU and LSTM against the equations of the ONNX text, element by element in double precision.
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::ramp;
using test::run_node;

struct RecurrentCase {
  std::string op;
  int64_t gates;
  int64_t directions = 1;
  bool reverse = false;
  bool batch_first = false;
  bool linear_before_reset = false;
  bool with_peepholes = false;
  double clip = 1e9;
};

constexpr int64_t kRecurrentSteps = 4, kRecurrentBatch = 3, kInputs = 5, kHidden = 2;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Result {
  std::vector<double> y, h, c;
};

/// Computes the equations sample by sample, direction by direction.
class Naive {
 public:
  Naive(const RecurrentCase& c, const std::vector<Tensor>& in, const std::vector<int64_t>& lengths)
      : case_(c), in_(in), lengths_(lengths) {}

  Result run() {
    const auto states = static_cast<size_t>(case_.directions * kRecurrentBatch * kHidden);
    Result result{std::vector<double>(states * kRecurrentSteps), std::vector<double>(states),
                  std::vector<double>(states)};
    for (int64_t d = 0; d < case_.directions; ++d)
      for (int64_t b = 0; b < kRecurrentBatch; ++b) run_sample(d, b, result);
    return result;
  }

 private:
  double at(size_t slot, int64_t i) const {
    return slot < in_.size() && !in_[slot].empty_handle() ? in_[slot].data<float>()[static_cast<size_t>(i)] : 0;
  }
  int64_t state_index(int64_t d, int64_t b) const {
    return (case_.batch_first ? b * case_.directions + d : d * kRecurrentBatch + b) * kHidden;
  }
  double clipped(double x) const { return std::clamp(x, -case_.clip, case_.clip); }

  double from_x(int64_t d, int64_t t, int64_t b, int64_t row) const {
    double sum = at(3, d * 2 * case_.gates * kHidden + row);
    for (int64_t i = 0; i < kInputs; ++i)
      sum += at(0, (case_.batch_first ? b * kRecurrentSteps + t : t * kRecurrentBatch + b) * kInputs + i) *
             at(1, (d * case_.gates * kHidden + row) * kInputs + i);
    return sum;
  }
  double from_h(int64_t d, int64_t row, const std::vector<double>& h) const {
    double sum = 0;
    for (int64_t i = 0; i < kHidden; ++i)
      sum += h[static_cast<size_t>(i)] * at(2, (d * case_.gates * kHidden + row) * kHidden + i);
    return sum;
  }
  double bias_h(int64_t d, int64_t row) const { return at(3, (d * 2 + 1) * case_.gates * kHidden + row); }
  double gate(int64_t d, int64_t t, int64_t b, int64_t row, const std::vector<double>& h) const {
    return from_x(d, t, b, row) + from_h(d, row, h) + bias_h(d, row);
  }

  void run_sample(int64_t d, int64_t b, Result& result) const {
    std::vector<double> h(kHidden), c(kHidden);
    for (size_t i = 0; i < kHidden; ++i) {
      h[i] = at(5, state_index(d, b) + static_cast<int64_t>(i));
      c[i] = at(6, state_index(d, b) + static_cast<int64_t>(i));
    }
    const bool backwards = case_.reverse || d == 1;
    const int64_t length = lengths_[static_cast<size_t>(b)];
    for (int64_t step = 0; step < length; ++step) {
      const int64_t t = backwards ? length - 1 - step : step;
      advance(d, t, b, h, c);
      const int64_t row = case_.batch_first ? (b * kRecurrentSteps + t) * case_.directions + d
                                            : (t * case_.directions + d) * kRecurrentBatch + b;
      for (size_t i = 0; i < kHidden; ++i) result.y[static_cast<size_t>(row * kHidden) + i] = h[i];
    }
    for (size_t i = 0; i < kHidden; ++i) {
      result.h[static_cast<size_t>(state_index(d, b)) + i] = h[i];
      result.c[static_cast<size_t>(state_index(d, b)) + i] = c[i];
    }
  }

  void advance(int64_t d, int64_t t, int64_t b, std::vector<double>& h, std::vector<double>& c) const {
    const std::vector<double> old_h = h;
    for (int64_t i = 0; i < kHidden; ++i) {
      const auto at_i = static_cast<size_t>(i);
      const auto peephole = [&](int64_t which, double cell) { return at(7, (d * 3 + which) * kHidden + i) * cell; };
      if (case_.op == "RNN") {
        h[at_i] = std::tanh(clipped(gate(d, t, b, i, old_h)));
      } else if (case_.op == "GRU") {
        const double update = sigmoid(clipped(gate(d, t, b, i, old_h)));
        std::vector<double> reset_h = old_h;
        for (int64_t k = 0; k < kHidden; ++k)
          reset_h[static_cast<size_t>(k)] *= sigmoid(clipped(gate(d, t, b, kHidden + k, old_h)));
        const double own_reset = sigmoid(clipped(gate(d, t, b, kHidden + i, old_h)));
        const int64_t row = 2 * kHidden + i;
        const double fresh = case_.linear_before_reset
                                 ? from_x(d, t, b, row) + own_reset * (from_h(d, row, old_h) + bias_h(d, row))
                                 : gate(d, t, b, row, reset_h);
        h[at_i] = (1 - update) * std::tanh(clipped(fresh)) + update * old_h[at_i];
      } else {
        const double old = c[at_i];
        const double in = sigmoid(clipped(gate(d, t, b, i, old_h) + peephole(0, old)));
        const double forget = sigmoid(clipped(gate(d, t, b, 2 * kHidden + i, old_h) + peephole(2, old)));
        c[at_i] = forget * old + in * std::tanh(clipped(gate(d, t, b, 3 * kHidden + i, old_h)));
        const double out = sigmoid(clipped(gate(d, t, b, kHidden + i, old_h) + peephole(1, c[at_i])));
        h[at_i] = out * std::tanh(clipped(c[at_i]));
      }
    }
  }

  const RecurrentCase& case_;
  const std::vector<Tensor>& in_;
  const std::vector<int64_t>& lengths_;
};

std::vector<Tensor> inputs_of(const RecurrentCase& c, const std::vector<int32_t>& lengths) {
  const Shape x = c.batch_first ? Shape{kRecurrentBatch, kRecurrentSteps, kInputs}
                                : Shape{kRecurrentSteps, kRecurrentBatch, kInputs};
  const Shape state =
      c.batch_first ? Shape{kRecurrentBatch, c.directions, kHidden} : Shape{c.directions, kRecurrentBatch, kHidden};
  std::vector<Tensor> inputs{ramp(x),
                             ramp({c.directions, c.gates * kHidden, kInputs}, -0.5F, 0.5F),
                             ramp({c.directions, c.gates * kHidden, kHidden}, -0.7F, 0.7F),
                             ramp({c.directions, 2 * c.gates * kHidden}, -1, 1),
                             Tensor::from<int32_t>({kRecurrentBatch}, lengths),
                             ramp(state, -1, 0.5F)};
  if (c.op != "LSTM") return inputs;
  inputs.push_back(ramp(state, -0.5F, 1));
  inputs.push_back(c.with_peepholes ? ramp({c.directions, 3 * kHidden}, -1, 1) : Tensor());
  return inputs;
}

void check_recurrent(const RecurrentCase& c) {
  const std::vector<int32_t> lengths{4, 2, 0};
  const std::vector<Tensor> inputs = inputs_of(c, lengths);
  std::string call = c.op == "LSTM" ? "y, y1, y2 = LSTM<" : "y, y1 = " + c.op + "<";
  call += "hidden_size = 2, layout = " + std::to_string(static_cast<int>(c.batch_first));
  call += std::string(", direction = \"") +
          (c.directions == 2 ? "bidirectional"
           : c.reverse       ? "reverse"
                             : "forward") +
          "\"";
  if (c.linear_before_reset) call += ", linear_before_reset = 1";
  if (c.clip < 1e9) call += ", clip = " + std::to_string(c.clip);
  call += c.op == "LSTM" ? (c.with_peepholes ? ">(a, b, c, d, e, f, g, h)" : ">(a, b, c, d, e, f, g)")
                         : ">(a, b, c, d, e, f)";
  std::vector<Tensor> fed = inputs;
  if (c.op == "LSTM" && !c.with_peepholes) fed.pop_back();
  const std::vector<Tensor> got = run_node(call, fed, {.opset = 14, .outputs = c.op == "LSTM" ? 3u : 2u});
  const Result expected = Naive(c, inputs, {4, 2, 0}).run();
  const Shape y = c.batch_first ? Shape{kRecurrentBatch, kRecurrentSteps, c.directions, kHidden}
                                : Shape{kRecurrentSteps, c.directions, kRecurrentBatch, kHidden};
  const Shape state =
      c.batch_first ? Shape{kRecurrentBatch, c.directions, kHidden} : Shape{c.directions, kRecurrentBatch, kHidden};
  // Sums of at most 9 products below 3 in float, then functions of slope <= 1, over 4 steps: 4 * 9 * 3 * 2^-24 = 6e-6.
  test::expect_close(got[0], y, expected.y, 0, 1e-5);
  test::expect_close(got[1], state, expected.h, 0, 1e-5);
  if (c.op == "LSTM") test::expect_close(got[2], state, expected.c, 0, 1e-5);
}

TEST(Recurrent, MeetsTheEquationsInEveryDirectionAndLayout) {
  for (const auto& [op, gates] : {std::pair("RNN", 1), std::pair("GRU", 3), std::pair("LSTM", 4)})
    for (const bool batch_first : {false, true}) {
      SCOPED_TRACE(std::string(op) + (batch_first ? " batch first" : ""));
      check_recurrent({.op = op, .gates = gates, .batch_first = batch_first});
      check_recurrent({.op = op, .gates = gates, .reverse = true, .batch_first = batch_first});
      check_recurrent({.op = op, .gates = gates, .directions = 2, .batch_first = batch_first});
    }
}

TEST(Recurrent, ClipsWhatTheActivationsSee) {
  for (const auto& [op, gates] : {std::pair("RNN", 1), std::pair("GRU", 3), std::pair("LSTM", 4)})
    check_recurrent({.op = op, .gates = gates, .clip = 0.5});
}

TEST(Gru, ResetsAfterTheProductOnRequest) {
  check_recurrent({.op = "GRU", .gates = 3, .directions = 2, .linear_before_reset = true});
}

TEST(Lstm, LooksThroughPeepholes) {
  check_recurrent({.op = "LSTM", .gates = 4, .directions = 2, .with_peepholes = true});
}

TEST(Rnn, TakesItsActivationWithParameters) {
  // One step, no bias, state 0: f(x * w) with f(x) = 2 x + 1 and x * w = 3.
  const Tensor x = Tensor::from<float>({1, 1, 1}, {3}), w = Tensor::from<float>({1, 1, 1}, {1});
  const auto got = run_node(
      "y = RNN<hidden_size = 1, activations = [\"Affine\"], activation_alpha = [2.0], activation_beta = [1.0]>(a, b, "
      "c)",
      {x, w, w});
  EXPECT_EQ(test::values(got[0]), std::vector<float>{7});
}

TEST(Rnn, GivesDoublesAndHalvesBackAsTheyCame) {
  const Tensor x = Tensor::from<float>({1, 1, 1}, {0}), w = Tensor::from<float>({1, 1, 1}, {1});
  for (const DataType type : {DataType::Float64, DataType::Float16, DataType::BFloat16}) {
    const auto got = run_node("y = RNN<hidden_size = 1>(a, b, c)", {cast(x, type), cast(w, type), cast(w, type)});
    EXPECT_EQ(got[0].type(), type);
    EXPECT_EQ(test::values(cast(got[0], DataType::Float32)), std::vector<float>{0});
  }
}

TEST(Rnn, RefusesWhatItDoesNotKnow) {
  const Tensor x = ramp({1, 1, 1});
  EXPECT_THROW(run_node("y = RNN<hidden_size = 1, activations = [\"Magic\"]>(a, b, c)", {x, x, x}), Error);
  EXPECT_THROW(run_node("y = RNN<hidden_size = 1, direction = \"sideways\">(a, b, c)", {x, x, x}), Error);
}

TEST(Lstm, RefusesWeightsOfAnotherShape) {
  EXPECT_THROW(run_node("y = LSTM<hidden_size = 2>(a, b, c)", {ramp({1, 1, 3}), ramp({1, 8, 4}), ramp({1, 8, 2})}),
               Error);
}

}  // namespace
}  // namespace detent
