#include "run/batch_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"

namespace detent {
namespace {

using testing::ElementsAre;

/// Returns the axes of a model with these inputs whose output is computed by `body`.
std::vector<int> axes_of(const std::string& inputs, const std::string& output, const std::string& body,
                         const std::vector<NamedAxis>& named = {}) {
  const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]> g (" + inputs + ") => (" + output +
                                       ") {" + body + "}");
  return find_batch_axes(model.graph(), named);
}

/// Returns the axes that follow from the shapes of the inputs alone.
std::vector<int> axes_by_shape(const std::string& inputs, const std::vector<NamedAxis>& named = {}) {
  return axes_of(inputs, "float[K] out", "out = Constant <value = float[1] {0}> ()", named);
}

TEST(BatchAxes, AreFoundByTheNameOfTheBatch) {
  EXPECT_THAT(axes_by_shape("float[batch, 5] x, float[2, batch, 4] h"), ElementsAre(0, 1));
  EXPECT_THAT(axes_by_shape("float[T, batch_size, 5] x, float[1, batch_size, 4] h"), ElementsAre(1, 1));
  EXPECT_THAT(axes_by_shape("float[T, batch, 5] x"), ElementsAre(1));
  EXPECT_THAT(axes_by_shape("float[N, T, 5] x"), ElementsAre(0));
}

TEST(BatchAxes, AreFoundByANameThatInputsShare) {
  EXPECT_THAT(axes_by_shape("float[s1, s0, 5] x, float[2, s0, 4] h"), ElementsAre(1, 1));
  EXPECT_THAT(axes_by_shape("int64[s0, s1] ids, int64[s0, s1] mask"), ElementsAre(0, 0));
}

TEST(BatchAxes, DoNotFollowASharedLengthBehindABatchOfOne) {
  EXPECT_THAT(axes_by_shape("int64[1, tokens] ids, int64[1, tokens] mask"), ElementsAre(0, 0));
}

TEST(BatchAxes, AreFoundByExtentsWithoutCommonNames) {
  EXPECT_THAT(axes_by_shape("float[?, 5] x, float[2, ?, 4] h, int64 rate"), ElementsAre(0, 1, kNoBatchAxis));
  EXPECT_THAT(axes_by_shape("float[x_dynamic_axes_1, 5] x, float[2, h_dynamic_axes_1, 4] h"), ElementsAre(0, 1));
  EXPECT_THAT(axes_by_shape("float[1, 3, 8, 8] image, float[4] boxes"), ElementsAre(0, kNoBatchAxis));
}

TEST(BatchAxes, DoNotCountWhatIsOpenInOneInputAlone) {
  EXPECT_THAT(axes_by_shape("float[40, frames] spectrum"), ElementsAre(kNoBatchAxis));
  EXPECT_THAT(axes_by_shape("float[time] wave"), ElementsAre(kNoBatchAxis));
  EXPECT_THAT(axes_by_shape("float[batch, 3] x, float[40, frames] table"), ElementsAre(0, kNoBatchAxis));
}

TEST(BatchAxes, OfAFixedExtentAreThoseThatKeepSamplesApart) {
  const std::string weight = "w = Constant <value = float[3, 2] {1, 2, 3, 4, 5, 6}> () ";
  EXPECT_THAT(axes_of("float[4, 3] x", "float[4, 2] y", weight + "y = MatMul (x, w)"), ElementsAre(0));
  EXPECT_THAT(axes_of("float[4, 3] x, float[2, 4, 3] h", "float[2, 4, 3] y", "y = Add (x, h)"), ElementsAre(0, 1));
  EXPECT_THAT(axes_of("float[4, 3] x", "float[4, 4] y", "t = Transpose (x) y = MatMul (x, t)"),
              ElementsAre(kNoBatchAxis));
  EXPECT_THAT(axes_of("float[3] x", "float[2] y", weight + "y = MatMul (x, w)"), ElementsAre(kNoBatchAxis));
}

constexpr const char* kWeight = "w = Constant <value = float[3, 2] {1, 2, 3, 4, 5, 6}> () ";

TEST(BatchAxes, AreOpenAxesThatOutputsCarry) {
  EXPECT_THAT(axes_of("float[a, 3] x", "float[b, 2] y", kWeight + std::string("y = MatMul (x, w)")), ElementsAre(0));
  EXPECT_THAT(
      axes_of("float[a, 3] x", "float[1, b] y", "s = Constant <value = int64[2] {1, -1}> () y = Reshape (x, s)"),
      ElementsAre(0))
      << "several elements of a sample on its axis";
}

TEST(BatchAxes, AreNoPointsThatAreGatheredIntoOneOutput) {
  const std::string canvas = "c = Constant <value = float[2, 2] {0, 0, 0, 0}> () y = ScatterND (c, at, x)";
  EXPECT_THAT(axes_of("float[points, 2] x, int64[points, 1] at", "float[2, 2] y", canvas),
              ElementsAre(kNoBatchAxis, kNoBatchAxis));
  EXPECT_THAT(axes_of("float[batch, 2] x, int64[batch, 1] at", "float[2, 2] y", canvas),
              ElementsAre(kNoBatchAxis, kNoBatchAxis))
      << "whatever their number is called";
}

TEST(BatchAxes, AreNoNodesThatEdgesConnect) {
  EXPECT_THAT(axes_of("float[N, 3] nodes, int64[E] from", "float[N, 3] y",
                      "a = Gather (nodes, from) m = ReduceSum <keepdims = 1> (a) y = Add (nodes, m)"),
              ElementsAre(kNoBatchAxis, kNoBatchAxis));
  EXPECT_THAT(axes_of("float[N, 3] nodes, float[3] bias", "float[N, 3] y", "y = Add (nodes, bias)"),
              ElementsAre(0, kNoBatchAxis))
      << "rows that nothing connects";
}

TEST(BatchAxes, AreNoFramesBelowAWindow) {
  const std::string window =
      "k = Constant <value = float[1, 1, 3, 1] {1, 1, 1}> () "
      "s = Constant <value = int64[4] {1, 1, -1, 4}> () r = Reshape (x, s) y = Conv (r, k)";
  EXPECT_THAT(axes_of("float[T, 4] x", "float[1, 1, U, 4] y", window), ElementsAre(kNoBatchAxis));
  EXPECT_THAT(axes_of("float[T, 4] x", "float[1, 1, U, 4] y", window, {{"x", 0}}), ElementsAre(0)) << "the user knows";
}

TEST(BatchAxes, AreWhatTheUserSays) {
  EXPECT_THAT(axes_by_shape("float[a, b2, 5] x, float[2, b2, 4] h", {{"x", 0}, {"h", kNoBatchAxis}}),
              ElementsAre(0, kNoBatchAxis));
  EXPECT_THAT(axes_by_shape("float[a, c, 5] x, float[c, a, 4] h", {{"h", 1}}), ElementsAre(0, 1))
      << "its name counts for all";
}

TEST(BatchAxes, RefuseNamesThatMakeNoSense) {
  const auto code = [](const NamedAxis& named) {
    try {
      axes_by_shape("float[N, 5] x", {named});
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(code({"y", 0}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({"x", 2}), ErrorCode::InvalidOption);
}

}  // namespace
}  // namespace detent
