#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/index.h"
#include "ops/operands.h"
#include "ops/simd/panel_product.h"
#include "ops/window/channels_last_convolution.h"

namespace detent {
namespace {

Tensor random_values(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor tensor(DataType::Float32, shape);
  for (float& x : tensor.mutable_data<float>()) x = uniform(random);
  return tensor;
}

struct Case {
  const char* name;
  Shape input, weights;
  std::vector<int64_t> strides, dilations, pads;  // pads on both sides
  int64_t group = 1;
  bool transposed = false;
};

Window window_of(const Case& c) {
  WindowAttributes attributes;
  attributes.strides = c.strides;
  attributes.dilations = c.dilations;
  attributes.pads = c.pads;
  attributes.pads.insert(attributes.pads.end(), c.pads.begin(), c.pads.end());
  const std::vector<int64_t> input(c.input.begin() + 2, c.input.end()), kernel(c.weights.begin() + 2, c.weights.end());
  return c.transposed ? resolve_transposed_window(attributes, input, kernel, {}, {})
                      : resolve_window(attributes, input, kernel);
}

std::vector<int64_t> position_of(int64_t at, const std::vector<int64_t>& extents) {
  std::vector<int64_t> position(extents.size());
  for (size_t i = extents.size(); i-- > 0; at /= extents[i]) position[i] = at % extents[i];
  return position;
}

/// Computes the definition in double, plain layout: each product of an input pixel with a tap is added where it lands.
std::vector<double> defined(const Case& c, const Window& window, const Shape& output, const Tensor& x,
                            const Tensor& w) {
  const std::vector<int64_t> in(c.input.begin() + 2, c.input.end()), kernel(window.kernel);
  const auto count = [](const std::vector<int64_t>& e) { return Shape(std::span(e)).element_count(); };
  const int64_t inner = c.input[1] / c.group, each = output[1] / c.group;
  std::vector<double> y(as_index(output.element_count()), 0);
  // A convolution reads at `small` where it writes at `large`; a transposed one the other way.
  const auto &large = c.transposed ? in : window.output, &small = c.transposed ? window.output : in;
  for (int64_t n = 0; n < c.input[0]; ++n)
    for (int64_t l = 0; l < count(large); ++l)
      for (int64_t tap = 0; tap < count(kernel); ++tap) {
        const auto at = position_of(l, large), offset = position_of(tap, kernel);
        int64_t s = 0;
        bool inside = true;
        for (size_t i = 0; i < at.size(); ++i) {
          const int64_t p = at[i] * window.strides[i] - window.pad_begin[i] + offset[i] * window.dilations[i];
          inside = inside && p >= 0 && p < small[i];
          s = s * small[i] + p;
        }
        if (!inside) continue;
        const int64_t from = c.transposed ? l : s, to = c.transposed ? s : l;
        for (int64_t g = 0; g < c.group; ++g)
          for (int64_t i = 0; i < inner; ++i)
            for (int64_t o = 0; o < each; ++o) {
              const int64_t pair = c.transposed ? (g * inner + i) * each + o : (g * each + o) * inner + i;
              y[as_index((n * output[1] + g * each + o) * count(window.output) + to)] +=
                  double{x.data<float>()[as_index((n * c.input[1] + g * inner + i) * count(in) + from)]} *
                  w.data<float>()[as_index(pair * count(kernel) + tap)];
            }
      }
  return y;
}

class DirectConvolution : public testing::TestWithParam<Case> {};

TEST_P(DirectConvolution, IsTheDefinitionWithAnyTeam) {
  const Case& c = GetParam();
  const Window window = window_of(c);
  const Shape output = window.output_shape(c.input[0], c.transposed ? c.weights[1] * c.group : c.weights[0]);
  const Tensor x = random_values(c.input, 1), w = random_values(c.weights, 2), bias = random_values({output[1]}, 3);
  const Tensor residual = random_values(output, 4);
  const auto kernel = make_direct({c.input, output, window, w, c.group, c.transposed});
  const Tensor input = to_channels_last(x), added = to_channels_last(residual);
  const RegisterFinish finish{
      .bias = bias.data<float>().data(), .residual = added.data<float>().data(), .low = -0.5F, .high = 2.0F};
  Workspace workspace;
  std::vector<Tensor> results;
  for (const int team : {1, 3}) {
    Tensor y(DataType::Float32, output, Allocator::heap(), Layout::ChannelsLast);
    kernel->run(input.data<float>().data(), y.mutable_data<float>().data(), finish, nullptr, workspace, team);
    results.push_back(to_plain(y));
  }
  const std::vector<double> wanted = defined(c, window, output, x, w);
  const int64_t plane = output.element_count(2, output.rank());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double sum =
        wanted[i] + bias.data<float>()[i / as_index(plane) % as_index(output[1])] + residual.data<float>()[i];
    ASSERT_NEAR(results[0].data<float>()[i], std::clamp(sum, -0.5, 2.0), 1e-4) << i;
    ASSERT_EQ(results[0].data<float>()[i], results[1].data<float>()[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DirectConvolution,
    testing::Values(Case{"stem", {2, 3, 15, 14}, {20, 3, 7, 7}, {2, 2}, {1, 1}, {3, 3}},
                    Case{"pointwise", {1, 37, 9, 7}, {65, 37, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
                    Case{"dilated", {1, 8, 12, 12}, {16, 8, 3, 3}, {1, 1}, {3, 2}, {3, 2}},
                    Case{"groups", {2, 12, 8, 8}, {18, 4, 3, 3}, {1, 2}, {1, 1}, {1, 1}, 3},
                    Case{"depthwise", {1, 21, 10, 9}, {21, 1, 3, 3}, {2, 1}, {1, 1}, {1, 1}, 21},
                    Case{"multiplier", {1, 5, 6, 6}, {10, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 5},
                    Case{"signal", {2, 6, 40}, {9, 6, 5}, {2}, {1}, {2}},
                    Case{"volume", {1, 4, 5, 6, 7}, {7, 4, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                    Case{"large", {1, 64, 20, 20}, {96, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                    Case{"up", {2, 12, 5, 6}, {12, 7, 2, 2}, {2, 2}, {1, 1}, {0, 0}, 1, true},
                    Case{"up_overlapping", {1, 6, 5, 4}, {6, 5, 4, 3}, {2, 3}, {1, 2}, {1, 1}, 1, true},
                    Case{"up_groups", {1, 8, 6}, {8, 3, 5}, {3}, {1}, {2}, 4, true},
                    Case{
                        "up_depthwise", {1, 19, 4, 4, 3}, {19, 1, 2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}, 19, true}),
    [](const auto& one) { return one.param.name; });

TEST(DirectConvolution, DoesNotReadInfiniteNeighboursForOtherPixels) {
  const Case c{"", {1, 16, 1, 40}, {16, 16, 1, 1}, {1, 1}, {1, 1}, {0, 0}};
  const Window window = window_of(c);
  const Tensor w = random_values(c.weights, 1);
  Tensor x = random_values(c.input, 2);
  x.mutable_data<float>()[7] = std::numeric_limits<float>::infinity();  // channel 0, pixel 7
  const auto kernel = make_direct({c.input, c.input, window, w, 1, false});
  Tensor y(DataType::Float32, c.input, Allocator::heap(), Layout::ChannelsLast);
  Workspace workspace;
  kernel->run(to_channels_last(x).data<float>().data(), y.mutable_data<float>().data(), {}, nullptr, workspace, 1);
  const Tensor plain = to_plain(y);
  for (size_t i = 0; i < 16 * 40; ++i) EXPECT_EQ(std::isfinite(plain.data<float>()[i]), i % 40 != 7) << i;
}

TEST(PanelProduct, DotProductsAreSumsOfProducts) {
  for (const int64_t k : {0, 1, 5, 64, 131})
    for (const int64_t m : {1, 2, 7}) {
      const int64_t n = 9;
      const Tensor a = random_values({m, k + 2}, 1), b = random_values({n, k}, 2), before = random_values({m, n}, 3);
      for (const bool adds : {false, true}) {
        Tensor c = Tensor::from<float>({m, n}, before.data<float>());
        multiply_dots({a.data<float>().data(), as_index(k + 2), b.data<float>().data(), as_index(k),
                       c.mutable_data<float>().data(), as_index(n), as_index(m), as_index(n), as_index(k), adds});
        for (int64_t i = 0; i < m * n; ++i) {
          double sum = adds ? before.data<float>()[as_index(i)] : 0;
          for (int64_t j = 0; j < k; ++j)
            sum += double{a.data<float>()[as_index(i / n * (k + 2) + j)]} * b.data<float>()[as_index(i % n * k + j)];
          ASSERT_NEAR(c.data<float>()[as_index(i)], sum, 1e-5) << m << " x " << k;
        }
      }
    }
}

}  // namespace
}  // namespace detent
