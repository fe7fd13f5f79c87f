#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "ops/one_node.h"
#include "ops/window/channels_last_convolution.h"

namespace detent {
namespace {

using test::whole_numbers;

struct WinogradCase {
  Shape input, weights;
  std::vector<int64_t> pads{1, 1, 1, 1};  // begins then ends
  int64_t stride = 1, dilation = 1, group = 1;
};

Window window_of(const WinogradCase& c) {
  const int64_t reach = c.dilation * (c.weights[2] - 1) + 1;
  const auto extent = [&](size_t axis) {
    return (c.input[axis + 2] + c.pads[axis] + c.pads[axis + 2] - reach) / c.stride + 1;
  };
  return {.kernel = {c.weights[2], c.weights[3]},
          .strides = {c.stride, c.stride},
          .dilations = {c.dilation, c.dilation},
          .pad_begin = {c.pads[0], c.pads[1]},
          .pad_end = {c.pads[2], c.pads[3]},
          .output = {extent(0), extent(1)}};
}

Shape output_of(const WinogradCase& c) {
  const Window window = window_of(c);
  return {c.input[0], c.weights[0], window.output[0], window.output[1]};
}

std::unique_ptr<const ChannelsLastConvolution> make(const WinogradCase& c, const Tensor& weights) {
  const Window window = window_of(c);
  return make_winograd({c.input, output_of(c), window, weights, c.group});
}

/// Computes the definition in double: sum over the window, and the sum of the magnitudes of its terms.
struct Sum {
  double value = 0, magnitude = 0;
};
std::vector<Sum> definition(const WinogradCase& c, const Tensor& x, const Tensor& w) {
  const Shape y = output_of(c);
  std::vector<Sum> sums(static_cast<size_t>(y.element_count()));
  size_t at = 0;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j, ++at)
          for (int64_t k = 0; k < c.input[1] * 9; ++k) {
            const int64_t row = i + k / 3 % 3 - c.pads[0], column = j + k % 3 - c.pads[1], channel = k / 9;
            if (row < 0 || row >= c.input[2] || column < 0 || column >= c.input[3]) continue;
            const auto from =
                static_cast<size_t>(((n * c.input[1] + channel) * c.input[2] + row) * c.input[3] + column);
            const double term = static_cast<double>(x.data<float>()[from]) *
                                w.data<float>()[static_cast<size_t>(o * c.input[1] * 9 + k)];
            sums[at].value += term;
            sums[at].magnitude += std::abs(term);
          }
  return sums;
}

/// Returns the plain output of the kernel.
Tensor run_winograd(const WinogradCase& c, const Tensor& x, const Tensor& w, const RegisterFinish& finish = {},
                    const StretchFinish* rest = nullptr, int team = 1) {
  const auto kernel = make(c, w);
  Tensor y(DataType::Float32, output_of(c), Allocator::heap(), Layout::ChannelsLast);
  Workspace workspace;
  kernel->run(to_channels_last(x).data<float>().data(), y.mutable_data<float>().data(), finish, rest, workspace, team);
  return to_plain(y);
}

/// Quarters of whole numbers are exact in float, so the transformed sums must equal the definition to the bit.
TEST(Winograd, EqualsTheDefinitionOnWholeNumbers) {
  const WinogradCase cases[] = {
      {.input = {1, 16, 8, 8}, .weights = {16, 16, 3, 3}},
      {.input = {2, 48, 7, 9}, .weights = {32, 48, 3, 3}},                          // odd extents, batch, half a panel
      {.input = {1, 32, 9, 8}, .weights = {16, 32, 3, 3}, .pads = {0, 1, 2, 0}},    // unequal pads
      {.input = {1, 16, 12, 13}, .weights = {80, 16, 3, 3}, .pads = {0, 0, 0, 0}},  // none
      {.input = {1, 16, 61, 60}, .weights = {16, 16, 3, 3}},                        // more than one block of tiles
  };
  for (const WinogradCase& c : cases) {
    const Tensor x = whole_numbers(c.input, 1), w = whole_numbers(c.weights, 2);
    ASSERT_TRUE(make(c, w)) << c.input.to_string();
    const Tensor y = run_winograd(c, x, w);
    const auto expected = definition(c, x, w);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(y.data<float>()[i], expected[i].value) << c.input.to_string() << " element " << i;
  }
}

/// Products are summed over channels (one rounding each), after one addition per axis on each side: no error is larger
/// than (channels + 8) * 2^-24 times the sum of magnitudes of the transformed terms, which is at most 9 times the
/// definition's largest. Typical errors are some hundred times smaller.
TEST(Winograd, RoundsWithinItsBound) {
  const WinogradCase c{.input = {1, 128, 14, 14}, .weights = {32, 128, 3, 3}};
  Tensor x = whole_numbers(c.input, 1, 1 << 20), w = whole_numbers(c.weights, 2, 1 << 20);
  const Tensor y = run_winograd(c, x, w);
  const auto expected = definition(c, x, w);
  double largest = 0, worst = 0;
  for (const Sum& sum : expected) largest = std::max(largest, sum.magnitude);
  for (size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, std::abs(y.data<float>()[i] - expected[i].value));
  EXPECT_LT(worst, (128 + 8) * std::ldexp(9 * largest, -24));
  EXPECT_LT(worst, 1e-6 * largest) << "what a plain float sum of 1152 terms is good for";
}

/// An infinite or NaN pixel reaches the outputs that read it, and no other of its tile.
TEST(Winograd, KeepsWhatIsNotFiniteToTheOutputsThatReadIt) {
  const WinogradCase c{.input = {1, 16, 9, 10}, .weights = {16, 16, 3, 3}};
  const Tensor w = whole_numbers(c.weights, 2);
  const Tensor finite = run_winograd(c, whole_numbers(c.input, 1), w);
  for (const float odd : {INFINITY, -INFINITY, NAN})
    for (const auto& [row, column] : {std::pair{4, 5}, {0, 0}, {8, 9}}) {
      Tensor x = whole_numbers(c.input, 1);
      x.mutable_data<float>()[static_cast<size_t>((3 * 9 + row) * 10 + column)] = odd;
      const Tensor y = run_winograd(c, x, w);
      const auto expected = definition(c, x, w);
      for (size_t i = 0; i < expected.size(); ++i) {
        const auto at = static_cast<int>(i % 90);
        const bool reads = std::abs(at / 10 - row) <= 1 && std::abs(at % 10 - column) <= 1;
        if (std::isnan(expected[i].value))
          ASSERT_TRUE(std::isnan(y.data<float>()[i]) && reads) << odd << " at " << row << ", " << column << ": " << i;
        else
          ASSERT_EQ(y.data<float>()[i], expected[i].value) << odd << " at " << row << ", " << column << ": " << i;
        ASSERT_TRUE(reads || y.data<float>()[i] == finite.data<float>()[i]);
      }
    }
}

TEST(Winograd, AddsBiasAndResidualThenClamps) {
  const WinogradCase c{.input = {1, 16, 9, 7}, .weights = {32, 16, 3, 3}};
  const Tensor x = whole_numbers(c.input, 1), w = whole_numbers(c.weights, 2);
  const Tensor bias = whole_numbers({32}, 3, 50), residual = whole_numbers(output_of(c), 4, 50);
  const Tensor laid_out = to_channels_last(residual);
  const Tensor y = run_winograd(c, x, w, {bias.data<float>().data(), laid_out.data<float>().data(), -40, 60});
  const auto expected = definition(c, x, w);
  for (size_t i = 0; i < expected.size(); ++i) {
    const double sum = expected[i].value + bias.data<float>()[i / 63] + residual.data<float>()[i];
    ASSERT_EQ(y.data<float>()[i], std::clamp(sum, -40.0, 60.0)) << i;
  }
}

TEST(Winograd, HandsEveryElementOutOnceWhateverTheTeam) {
  struct Counter : StretchFinish {
    mutable std::mutex mutex;
    mutable std::vector<int> seen;
    explicit Counter(size_t count) : seen(count) {}
    void finish(size_t begin, size_t end) const override {
      const std::lock_guard lock(mutex);
      for (size_t i = begin; i < end; ++i) ++seen[i];
    }
  };
  const WinogradCase c{.input = {1, 16, 61, 60}, .weights = {16, 16, 3, 3}};
  const Tensor x = whole_numbers(c.input, 1, 1 << 20), w = whole_numbers(c.weights, 2, 1 << 20);
  const Tensor alone = run_winograd(c, x, w);
  for (const int team : {1, 2, 3}) {
    const Counter counter(static_cast<size_t>(output_of(c).element_count()));
    const Tensor y = run_winograd(c, x, w, {}, &counter, team);
    EXPECT_TRUE(std::ranges::all_of(counter.seen, [](int times) { return times == 1; })) << team;
    EXPECT_TRUE(std::ranges::equal(y.data<float>(), alone.data<float>())) << "other bits with a team of " << team;
  }
}

TEST(Winograd, LeavesOtherConvolutionsAlone) {
  const WinogradCase refused[] = {
      {.input = {1, 16, 7, 7},
       .weights = {16, 16, 3, 3}},  // 16 tiles are two blocks of 12; 8 x 8 pixels fill them better
      {.input = {1, 16, 8, 8}, .weights = {16, 16, 3, 3}, .stride = 2},
      {.input = {1, 16, 8, 8}, .weights = {16, 16, 3, 3}, .pads = {2, 2, 2, 2}, .dilation = 2},
      {.input = {1, 32, 8, 8}, .weights = {32, 16, 3, 3}, .group = 2},
      {.input = {1, 16, 8, 8}, .weights = {16, 16, 5, 5}, .pads = {2, 2, 2, 2}},
      {.input = {1, 24, 8, 8}, .weights = {16, 24, 3, 3}},  // channels
      {.input = {1, 16, 8, 8}, .weights = {20, 16, 3, 3}},
      {.input = {1, 16, 4, 4}, .weights = {16, 16, 3, 3}},  // too few tiles to pay
  };
  for (const WinogradCase& c : refused) EXPECT_FALSE(make(c, whole_numbers(c.weights, 1))) << c.input.to_string();
}

/// y = Conv(x, w) in a model, where x comes from `source`.
Tensor conv_behind(const std::string& source, const Tensor& x, const Tensor& w) {
  const Model model = parse_model_text("<ir_version: 7, opset_import: [\"\" : 13]> g (" + test::text_type(x) +
                                       " x) => (float[N] y) <float s = {0.1}, int8 z = {0}, " + test::text_type(w) +
                                       " w = " + test::text_values(w) + "> { " + source +
                                       " v = Conv<pads = [1,1,1,1]>(a, w) y = Relu(v) }");
  return run_once(model.graph(), std::span(&x, 1), model.graph().outputs()).front();
}

/// An engine adds the integers of a quantized convolution exactly, and so does Detent up to the rounding of plain sums.
TEST(Winograd, StaysAwayFromQuantizedConvolutions) {
  const WinogradCase c{.input = {1, 64, 16, 16}, .weights = {16, 64, 3, 3}};
  Tensor x = whole_numbers(c.input, 1, 12), w = whole_numbers(c.weights, 2, 127);
  for (float& value : x.mutable_data<float>()) value *= 0.1F;  // on the grid of the scale
  const Tensor plain = conv_behind("a = Identity(x)", x, w);
  const Tensor quantized = conv_behind("q = QuantizeLinear(x, s, z) a = DequantizeLinear(q, s, z)", x, w);
  size_t different = 0;
  for (size_t i = 0; i < plain.data<float>().size(); ++i)
    different += plain.data<float>()[i] != quantized.data<float>()[i];
  EXPECT_GT(different, 0U) << "both took the same way, or the case cannot tell them apart";
}

}  // namespace
}  // namespace detent
