// Weights from the plan to the written model, for every operator, axis and group: codes, scales and dequantized numbers
// are compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "exec/executor.h"
#include "model/half_constants.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"

namespace detent {
namespace {

/// Returns the index of a weight's element along each axis.
std::vector<int64_t> indices_of(const Shape& shape, int64_t element) {
  std::vector<int64_t> indices(shape.rank());
  for (size_t axis = shape.rank(); axis-- > 0; element /= shape[axis]) indices[axis] = element % shape[axis];
  return indices;
}

struct OperatorCase {
  const char* name;
  const char* graph;  ///< reads x, writes y with the weight w
  Shape weight;
  int axis;  ///< expected; -1: one scale
  /// Returns the output channel that an element of the weight belongs to, by the operator's definition.
  std::function<int64_t(const std::vector<int64_t>& index)> scale_index;
};

std::vector<OperatorCase> operator_cases() {
  const auto along = [](size_t axis) { return [axis](const std::vector<int64_t>& index) { return index[axis]; }; };
  return {
      {"Conv",
       "g (float[1,16,8,8] x) => (float[1,24,8,8] y) { y = Conv <pads = [1,1,1,1]> (x, w) }",
       {24, 16, 3, 3},
       0,
       along(0)},
      {"Conv1D",
       "g (float[1,16,8] x) => (float[1,24,8] y) { y = Conv <pads = [1,1]> (x, w) }",
       {24, 16, 3},
       0,
       along(0)},
      {"Conv3D",
       "g (float[1,16,4,4,4] x) => (float[1,24,4,4,4] y) { y = Conv (x, w) }",
       {24, 16, 1, 1, 1},
       0,
       along(0)},
      {"DepthwiseConv",
       "g (float[1,16,8,8] x) => (float[1,16,6,6] y) { y = Conv <group = 16> (x, w) }",
       {16, 1, 3, 3},
       0,
       along(0)},
      {"ConvTranspose",
       "g (float[1,16,4,4] x) => (float[1,24,8,8] y) { y = ConvTranspose <strides = [2,2]> (x, w) }",
       {16, 24, 2, 2},
       1,
       along(1)},
      // Output channel of group g and column m is g * 6 + m: one scale serves column m of all four groups.
      {"GroupedConvTranspose",
       "g (float[1,16,4,4] x) => (float[1,24,8,8] y) { y = ConvTranspose <group = 4, strides = [2,2]> (x, w) }",
       {16, 6, 2, 2},
       1,
       [](const std::vector<int64_t>& index) {
         const int64_t output_channel = index[0] / 4 * 6 + index[1];
         return output_channel % 6;
       }},
      {"GemmTransB", "g (float[2,16] x) => (float[2,24] y) { y = Gemm <transB = 1> (x, w) }", {24, 16}, 0, along(0)},
      {"Gemm", "g (float[2,16] x) => (float[2,24] y) { y = Gemm (x, w) }", {16, 24}, 1, along(1)},
      {"MatMul", "g (float[2,16] x) => (float[2,24] y) { y = MatMul (x, w) }", {16, 24}, 1, along(1)},
      {"MatMulOfThreeDimensions",
       "g (float[2,3,16] x) => (float[2,3,24] y) { y = MatMul (x, w) }",
       {16, 24},
       1,
       along(1)},
  };
}

/// Returns channels of very different size, one of them all zero.
std::vector<float> weights_for(const OperatorCase& item) {
  std::mt19937 engine(11);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> weights(static_cast<size_t>(item.weight.element_count()));
  for (size_t i = 0; i < weights.size(); ++i) {
    const int64_t channel = item.scale_index(indices_of(item.weight, static_cast<int64_t>(i)));
    weights[i] = channel == 3 ? 0.0F : normal(engine) * std::pow(2.0F, static_cast<float>(channel % 7) - 5);
  }
  return weights;
}

std::string model_text(const OperatorCase& item, const std::vector<float>& weights, bool half) {
  std::string numbers, extents;
  for (const float w : weights) numbers += (numbers.empty() ? "" : ", ") + std::to_string(w);
  for (const int64_t extent : item.weight) extents += (extents.empty() ? "" : ",") + std::to_string(extent);
  const std::string text =
      "<ir_version: 9, opset_import: [\"\" : " + std::string(half ? "19" : "13") + "]>\n" + item.graph;
  const size_t body = text.find('{');
  const std::string initializer = " <float[" + extents + "] " + (half ? "wf" : "w") + " = {" + numbers + "}> ";
  std::string result =
      text.substr(0, body) + initializer + "{ " + (half ? "w = Cast <to = 10> (wf) " : "") + text.substr(body + 1);
  for (size_t at = 0; half && (at = result.find("float[", at)) != std::string::npos; at += 6)
    if (result.compare(at - 1, 7, "<float[") != 0) result.insert(at + 5, "16");
  return result;
}

class WeightsOf : public testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  WeightsOf() {
    const OperatorCase& item = this->item();
    weights_ = weights_for(item);
    original_ = half() ? test::parse_half_model(model_text(item, weights_, true))
                       : parse_model_text(model_text(item, weights_, false));
    // The numbers as stored in the model: from decimal text, perhaps rounded to FP16.
    const Tensor held = cast(*original_->graph().constant(*original_->graph().find_value("w")), DataType::Float32);
    weights_.assign(held.data<float>().begin(), held.data<float>().end());
  }

  [[nodiscard]] const OperatorCase& item() const {
    static const std::vector<OperatorCase> cases = operator_cases();
    return cases[std::get<0>(GetParam())];
  }
  [[nodiscard]] bool half() const { return std::get<1>(GetParam()); }

  /// Returns the quantized model; ranges are ±4 for every value.
  [[nodiscard]] Model rewritten(const RewriteOptions& options) const {
    const Graph& graph = original_->graph();
    PlacementRequest placement;
    placement.small_layers = PlacementOptions::SmallLayers::Quantize;
    placement.include = {".*"};  // also layers for which TensorRT has no kernel
    const PlacementPlan plan = make_placement_plan(graph, find_target("tensorrt"), placement);
    std::map<ValueId, Range> ranges;
    for (const ValueId value : plan.quantized_values()) ranges[value] = {-4, 4};
    Model model = original_->clone();
    apply_patch(model, make_qdq_patch(graph, plan, ranges, options).patch);
    return model;
  }

  static std::vector<float> floats(const Tensor& tensor) {
    const Tensor wide = cast(tensor, DataType::Float32);
    return {wide.data<float>().begin(), wide.data<float>().end()};
  }
  static Tensor constant(const Model& model, const char* name) {
    const Tensor* found = model.graph().constant(*model.graph().find_value(name));
    if (!found) throw Error(ErrorCode::Internal, std::string(name) + " is not constant");
    return *found;
  }
  /// Returns the weight that the operator reads when the model runs.
  static std::vector<float> reconstruction(const Model& model) {
    Tensor input(model.graph().value(model.graph().inputs()[0]).declared_type.value(),
                 Shape(std::span<const int64_t>(*model.graph().value(model.graph().inputs()[0]).declared_shape)));
    std::fill_n(static_cast<std::byte*>(input.mutable_raw()), input.byte_count(), std::byte{0});
    const ValueId wanted = *model.graph().find_value("w_dequantized");
    return floats(to_plain(run_once(model.graph(), std::span(&input, 1), std::span(&wanted, 1)).at(0)));
  }
  /// The type in which the model stores real numbers.
  [[nodiscard]] float stored(double x) const {
    const auto value = static_cast<float>(x);
    return half() ? half_to_float(float_to_half(value)) : value;
  }

  std::vector<float> weights_;
  std::optional<Model> original_;
};

INSTANTIATE_TEST_SUITE_P(, WeightsOf,
                         testing::Combine(testing::Range<size_t>(0, operator_cases().size()), testing::Bool()),
                         [](const auto& test) {
                           return std::string(operator_cases()[std::get<0>(test.param)].name) +
                                  (std::get<1>(test.param) ? "InHalf" : "");
                         });

TEST_P(WeightsOf, CodesScalesAndReconstructionAreThoseOfALoop) {
  const Model model = rewritten({});
  const Tensor codes = constant(model, "w_quantized");
  const Tensor scale = constant(model, "w_scale"), zero_point = constant(model, "w_zero_point");
  ASSERT_EQ(codes.type(), DataType::Int8);
  ASSERT_EQ(codes.shape(), item().weight);
  ASSERT_EQ(scale.type(), half() ? DataType::Float16 : DataType::Float32);
  ASSERT_EQ(scale.shape(), zero_point.shape());
  const Node& dequantize = *model.graph().producer(*model.graph().find_value("w_dequantized"));
  EXPECT_EQ(dequantize.int_or("axis", -7), item().axis);
  const std::vector<float> scales = floats(scale);
  ASSERT_EQ(static_cast<int64_t>(scales.size()), item().weight[static_cast<size_t>(item().axis)]);
  EXPECT_THAT(zero_point.data<int8_t>(), testing::Each(0));

  std::vector<float> amax(scales.size(), 0);
  for (size_t i = 0; i < weights_.size(); ++i) {
    float& largest = amax[static_cast<size_t>(item().scale_index(indices_of(item().weight, static_cast<int64_t>(i))))];
    largest = std::max(largest, std::abs(weights_[i]));
  }
  for (size_t c = 0; c < scales.size(); ++c) {
    const double exact = amax[c] == 0 ? 1.0 : static_cast<double>(amax[c]) / 127;
    // An FP16 scale below 2^-14 has fewer bits and is rounded up: one step of 2^-24.
    if (half() && exact < 0x1p-14)
      EXPECT_NEAR(scales[c], exact, 0x1p-24) << c;
    else
      EXPECT_EQ(scales[c], stored(exact)) << c;
  }
  const std::vector<float> back = reconstruction(model);
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float s = scales[static_cast<size_t>(item().scale_index(indices_of(item().weight, static_cast<int64_t>(i))))];
    const float code = std::clamp(std::nearbyint(weights_[i] / s), -128.0F, 127.0F);
    ASSERT_EQ(codes.data<int8_t>()[i], static_cast<int8_t>(code)) << i;
    ASSERT_EQ(back[i], stored(static_cast<double>(code * s))) << i;
    // Half a step, the rounding of the scale (2^-11 of 127 steps in FP16), and the rounding of the product.
    ASSERT_NEAR(back[i], weights_[i], s * (half() ? 0.5 + 127 * 0x1p-11 + 127 * 0x1p-11 : 0.5 + 1e-5)) << i;
  }
}

TEST_P(WeightsOf, AFloatWeightBehindAFullPairGivesTheSameNumbers) {
  const std::vector<float> expected = reconstruction(rewritten({}));
  const Model model = rewritten({.int8_weights = false});
  EXPECT_EQ(constant(model, "w").type(), half() ? DataType::Float16 : DataType::Float32);
  EXPECT_EQ(reconstruction(model), expected);
}

TEST_P(WeightsOf, OneScaleForAllIsThatOfTheLargestWeight) {
  const Model model = rewritten({.per_tensor_weights = true});
  float amax = 0;
  for (const float w : weights_) amax = std::max(amax, std::abs(w));
  EXPECT_EQ(constant(model, "w_scale").shape(), Shape{});
  EXPECT_EQ(floats(constant(model, "w_scale"))[0], stored(static_cast<double>(amax) / 127));
}

TEST_P(WeightsOf, SevenBitsUseHalfTheCodes) {
  const Model model = rewritten({.weight_bits = 7});
  const Tensor codes = constant(model, "w_quantized");
  int largest = 0;
  for (const int8_t code : codes.data<int8_t>()) largest = std::max(largest, std::abs(static_cast<int>(code)));
  EXPECT_EQ(largest, 63);
}

TEST_P(WeightsOf, MseLosesNoMoreThanMaxInAnyChannel) {
  const auto errors = [&](WeightRange range) {
    const Model model = rewritten({.weight_range = range});
    const std::vector<float> scales = floats(constant(model, "w_scale"));
    const Tensor codes = constant(model, "w_quantized");
    std::vector<double> sums(scales.size(), 0);
    for (size_t i = 0; i < weights_.size(); ++i) {
      const auto c = static_cast<size_t>(item().scale_index(indices_of(item().weight, static_cast<int64_t>(i))));
      sums[c] += std::pow(static_cast<double>(codes.data<int8_t>()[i]) * scales[c] - weights_[i], 2);
    }
    return sums;
  };
  const std::vector<double> max = errors(WeightRange::Max), mse = errors(WeightRange::Mse);
  bool better = false;
  for (size_t c = 0; c < max.size(); ++c) {
    // Errors are compared in float arithmetic: 2^-24 of every weight, of which a step is a 127th.
    EXPECT_LE(mse[c], max[c] * (1 + 1e-4)) << c;
    better = better || mse[c] < max[c];
  }
  EXPECT_TRUE(better);
}

}  // namespace
}  // namespace detent
