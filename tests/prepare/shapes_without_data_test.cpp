#include "prepare/shapes_without_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Opset 18, because libonnx's checker requires shapes of inputs up to 17.
Model model_of(const std::string& text) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 18]>\n" + text);
}

/// Returns the shape of a value in each trial.
std::vector<Shape> trials_of(const Model& model, const std::string& value, const InputShapes& given = {}) {
  const TrialShapes trial = shapes_at_trial_sizes(model.graph(), given);
  EXPECT_THAT(trial.missing, IsEmpty());
  std::vector<Shape> shapes;
  for (const ValueShapes& run : trial.runs) shapes.push_back(run.at(*model.graph().find_value(value)));
  return shapes;
}

TEST(ShapesWithoutData, NeedEverySizeButTheBatch) {
  const Model fixed = model_of("g (float[N, 3, 8, 8] x) => (float[N, 3, 8, 8] y) { y = Relu (x) }");
  const auto shapes = shapes_without_data(fixed.graph(), {});
  ASSERT_TRUE(shapes);
  EXPECT_EQ(shapes->at(*fixed.graph().find_value("y")), (Shape{1, 3, 8, 8}));
  const Model open = model_of("g (float[N, 3, H, 8] x) => (float[N, 3, H, 8] y) { y = Relu (x) }");
  EXPECT_FALSE(shapes_without_data(open.graph(), {}));
  EXPECT_TRUE(shapes_without_data(open.graph(), {{"x", {1, 3, 8, 8}}}));
}

TEST(TrialSizes, AreTwoForAnImage) {
  const Model model = model_of("g (float[N, 3, H, W] x) => (float[N, 3, H, W] y) { y = Relu (x) }");
  EXPECT_THAT(trials_of(model, "y"), ElementsAre(Shape{1, 3, 256, 256}, Shape{1, 3, 320, 320}));
}

TEST(TrialSizes, LeaveAloneWhatIsDeclaredOrGiven) {
  const Model model = model_of(R"(g (float[N, 3, H, W] x, float[N, 3, 1, W] z) => (float[N, 3, H, W] y)
{ y = Add (x, z) })");
  const InputShapes given{{"z", {2, 3, 1, 1}}};
  EXPECT_THAT(trials_of(model, "z", given), ElementsAre(Shape{2, 3, 1, 1}, Shape{2, 3, 1, 1}));
  EXPECT_THAT(trials_of(model, "x", given), ElementsAre(Shape{1, 3, 256, 256}, Shape{1, 3, 320, 320}));
}

TEST(TrialSizes, OfAnInputThatTheModelDoesNotHaveAreRefused) {
  const Model model = model_of("g (float[N, W] x) => (float[N, W] y) { y = Relu (x) }");
  const auto action = [&] { static_cast<void>(shapes_at_trial_sizes(model.graph(), {{"z", {2, 2}}})); };
  EXPECT_EQ(error_of<Error>(action).code(), ErrorCode::InvalidOption);
}

TEST(TrialSizes, TakeOpenChannelsFromTheConvolutionThatReadsThem) {
  const Model model = model_of(R"(g (float[N, C, H, W] x) => (float[N, D, H, W] y)
<float[2, 1, 1, 1] w = {1, 2}>
{ y = Conv <group = 2> (x, w) })");
  EXPECT_THAT(trials_of(model, "x"), ElementsAre(Shape{1, 2, 256, 256}, Shape{1, 2, 320, 320}));
}

TEST(TrialSizes, AreTheSameForAllInputs) {
  const Model model = model_of("g (float[N, T] x, float[N, T] z) => (float[N, T] y) { y = Add (x, z) }");
  EXPECT_THAT(trials_of(model, "y"), ElementsAre(Shape{1, 256}, Shape{1, 320}));
}

TEST(TrialSizes, AreThoseThatTheModelRunsAt) {
  // A window of 7 x 7 at 1/32 of the size, and a layer of the one number left: runs at 224 only.
  const Model model = model_of(R"(g (float[N, 1, H, W] x) => (float[N, K] y)
<float[1, 2] w = {1, 2}>
{
  a = MaxPool <kernel_shape = [32, 32], strides = [32, 32]> (x)
  b = AveragePool <kernel_shape = [7, 7]> (a)
  c = Flatten (b)
  y = MatMul (c, w)
})");
  EXPECT_THAT(trials_of(model, "a"), ElementsAre(Shape{1, 1, 7, 7}));
}

TEST(TrialSizes, OfVolumesAreSmall) {
  const Model model = model_of("g (float[N, 4, D, H, W] x) => (float[N, 4, D, H, W] y) { y = Relu (x) }");
  EXPECT_THAT(trials_of(model, "y"), ElementsAre(Shape{1, 4, 64, 64, 64}, Shape{1, 4, 48, 48, 48}));
}

TEST(TrialSizes, AreMissingWhereARankIsOpen) {
  const Model model = model_of("g (float[] x) => (float[] y) { y = Relu (x) }");
  const TrialShapes trial = shapes_at_trial_sizes(model.graph(), {});
  EXPECT_THAT(trial.runs, IsEmpty());
  EXPECT_EQ(trial.missing, "the model declares no rank for 'x'");
}

TEST(TrialSizes, AreMissingWhereTheModelDoesNotRun) {
  const Model model = model_of(R"(g (float[N, W] x) => (float[N, W] y)
<float[1, 3] w = {1, 2, 3}>
{ y = Add (x, w) })");
  const TrialShapes trial = shapes_at_trial_sizes(model.graph(), {});
  EXPECT_THAT(trial.runs, IsEmpty());
  EXPECT_THAT(trial.missing, HasSubstr("does not run at the sizes tried")) << "and why";
  EXPECT_THAT(trial.missing, HasSubstr("256")) << "at the first of them";
}

TEST(TrialShapes, TakeNoChannelsFromGroupsBeyondCounting) {
  const Model model = model_of(
      "g (float[N, C, 8, 8] x) => (float[N, D, 8, 8] y) <float[4, 2, 1, 1] w = {1, 1, 1, 1, 1, 1, 1, 1}> "
      "{ y = Conv <group = 9223372036854775807> (x, w) }");
  const TrialShapes trial = shapes_at_trial_sizes(model.graph(), {});
  EXPECT_THAT(trial.runs, IsEmpty());
  EXPECT_THAT(trial.missing, HasSubstr("attribute 'group' is 9223372036854775807"));
}

}  // namespace
}  // namespace detent
