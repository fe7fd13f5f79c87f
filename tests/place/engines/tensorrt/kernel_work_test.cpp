// The kernels that TensorRT makes of a plan, held against layers of real engines.
#include "place/engines/tensorrt/kernel_work.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/half_constants.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent::test {
namespace {

using tensorrt::KernelWork;
using Kind = KernelWork::Kind;

/// Returns the kernels of a network of images of 32 x 8 x 8; every float value but constants has `shape` unless
/// `others` names it.
std::vector<KernelWork> kernels_of(const std::string& nodes, bool pairs, std::map<std::string, Shape> others = {}) {
  const Model model = parse_half_model(
      fill_tensors("<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[N,32,8,8] x) => (float[N,32,8,8] y)\n"
                   "<float[32,32,3,3] w = {...}, float[32,1,3,3] d = {...}, float[32,64,1,1] j = {...}>\n{\n" +
                   nodes + "}\n"));
  ValueShapes shapes;
  for (const Value& value : model.graph().values()) {
    const auto other = others.find(value.name);
    shapes[value.id] = other == others.end() ? Shape{1, 32, 8, 8} : other->second;
  }
  PlacementRequest options;
  options.small_layers = PlacementOptions::SmallLayers::Quantize;
  const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), options, shapes, {});
  return tensorrt::kernel_work(plan, model.graph(), shapes, pairs);
}

size_t count_of(const std::vector<KernelWork>& kernels, Kind kind) {
  return static_cast<size_t>(std::ranges::count(kernels, kind, &KernelWork::kind));
}

constexpr const char* kResidual =
    "a = Conv <pads = [1,1,1,1]> (x, w)\n r = Relu (a)\n b = Conv <pads = [1,1,1,1]> (r, w)\n s = Add (b, r)\n"
    "t = Relu (s)\n y = Conv <pads = [1,1,1,1]> (t, w)\n";

TEST(KernelWork, OfAResidualBlockIsThatOfItsConvs) {
  const std::vector<KernelWork> floats = kernels_of(kResidual, false);
  EXPECT_EQ(count_of(floats, Kind::Product), 3U);
  EXPECT_EQ(count_of(floats, Kind::Pointwise), 0U) << "activations and the Add are part of them";
  EXPECT_EQ(count_of(floats, Kind::Copy), 1U) << "of the input";
  for (const KernelWork& kernel : floats) EXPECT_FALSE(kernel.codes);
}

TEST(KernelWork, OfCodesMovesHalfTheBytes) {
  const std::vector<KernelWork> floats = kernels_of(kResidual, false), codes = kernels_of(kResidual, true);
  ASSERT_EQ(floats.size(), codes.size()) << "no quantizer stands alone";
  EXPECT_TRUE(codes[1].codes);
  EXPECT_EQ(codes[1].bytes * 2, floats[1].bytes) << "of the second Conv: input, shortcut, weight, output";
}

TEST(KernelWork, CountsWholeTiles) {
  // 32 channels: FP16 fills two vectors of 16, INT8 half of one of 64, and both a quarter of 128 columns.
  const double macs = 32 * 8 * 8 * 32 * 9;
  EXPECT_EQ(kernels_of(kResidual, false).front().operations, 2 * macs * 4);
  const auto depthwise = kernels_of("y = Conv <pads = [1,1,1,1], group = 32> (x, d)\n", false);
  EXPECT_EQ(depthwise.front().kind, Kind::Depthwise);
}

TEST(KernelWork, CopiesIntoAConcatWhatAnotherLayerReads) {
  const std::map<std::string, Shape> joint{{"c", Shape{1, 64, 8, 8}}};
  const std::string head = "a = Conv <pads = [1,1,1,1]> (x, w)\n b = Conv <pads = [1,1,1,1]> (x, w)\n";
  const auto direct = kernels_of(head + "c = Concat <axis = 1> (a, b)\n y = Conv (c, j)\n", false, joint);
  EXPECT_EQ(count_of(direct, Kind::Copy), 1U) << "the input's alone: Convs write in place";
  const auto read = kernels_of(
      head + "c = Concat <axis = 1> (a, b)\n e = Conv (c, j)\n f = Conv <pads = [1,1,1,1]> (a, w)\n y = Add (e, f)\n",
      false, joint);
  EXPECT_EQ(count_of(read, Kind::Copy), 2U);
}

TEST(KernelWork, MakesOneKernelOfANorm) {
  const auto kernels =
      kernels_of("a = Sigmoid (x)\n m = ReduceMean <axes = [-1]> (a)\n s = Sub (a, m)\n e = Exp (s)\n y = Mul (e, s)\n",
                 false, {{"m", Shape{1, 32, 8, 1}}});
  EXPECT_EQ(count_of(kernels, Kind::Pointwise), 1U);
  const auto pooled =
      kernels_of("m = ReduceMean <axes = [2, 3]> (x)\n y = Mul (x, m)\n", false, {{"m", Shape{1, 32, 1, 1}}});
  EXPECT_EQ(count_of(pooled, Kind::Reduction), 1U);
  EXPECT_EQ(count_of(pooled, Kind::Pointwise), 1U) << "another extent than the mean has";
}

TEST(KernelWork, WithoutSizesIsNothing) {
  const Model model = parse_half_model(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[N,C] x) => (float[N,C] y) { y = Relu (x) }");
  const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), {}, {}, {});
  EXPECT_TRUE(tensorrt::kernel_work(plan, model.graph(), {}, true).empty());
}

}  // namespace
}  // namespace detent::test
