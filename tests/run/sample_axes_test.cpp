#include "run/sample_axes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "detent/base/error.h"
#include "exec/runnable_part.h"
#include "model/model.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using Kind = SampleAxis::Kind;

constexpr SampleAxis kUnknown{Kind::Unknown, 0, 0}, kIndependent{Kind::Independent, 0, 0};

/// `count` different samples of x in [batch, 4, 8], one a tensor; all elements differ.
std::vector<Tensor> samples(size_t count, const Shape& shape = {1, 4, 8}) {
  std::vector<Tensor> tensors;
  for (size_t n = 0; n < count; ++n) {
    Tensor tensor(DataType::Float32, shape);
    const auto elements = tensor.mutable_data<float>();
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>((i * 37 + n * 101 + 1) % 997);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Model model_of(const std::string& body, const std::string& input = "float[4, 4, 8] x") {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 15]> g (" + input + ") => (float[K] y)\n{" + body +
                          "}");
}

SampleAxis axis_of(const Model& model, MemorySource& source, size_t batch = 4, const std::string& value = "y") {
  source.join(batch);
  const std::vector<ValueId> wanted = values_named(model.graph(), {value});
  return find_sample_axes(model.graph(), wanted, source, {}).of(wanted.front());
}

SampleAxis axis_of(const std::string& body) {
  MemorySource source(samples(9));
  return axis_of(model_of(body), source);
}

std::string reshaped(const std::string& from, const std::string& shape) {
  return "shape = Constant <value_ints = [" + shape + "]> () y = Reshape (" + from + ", shape)";
}

TEST(SampleAxes, AreFoundWhereEverySampleLies) {
  const std::string steps_first = "t = Transpose <perm = [1, 0, 2]> (x)\n";
  EXPECT_EQ(axis_of("y = Relu (x)"), (SampleAxis{Kind::Counts, 0, 0}));
  EXPECT_EQ(axis_of("y = Transpose <perm = [1, 0, 2]> (x)"), (SampleAxis{Kind::Counts, 1, 0}))
      << "as many steps as samples";
  EXPECT_EQ(axis_of("y = Transpose <perm = [1, 2, 0]> (x)"), (SampleAxis{Kind::Counts, 2, 0}));
  EXPECT_EQ(axis_of(reshaped("x", "-1, 8")), (SampleAxis{Kind::Counts, 0, 0})) << "[samples * steps, features]";
  EXPECT_EQ(axis_of(steps_first + reshaped("t", "-1, 8")), (SampleAxis{Kind::Counts, 0, 1}))
      << "[steps * samples, features]";
  EXPECT_EQ(axis_of(steps_first + reshaped("t", "4, 8, 4")), (SampleAxis{Kind::Counts, 1, 0}))
      << "[steps, samples * heads, features of a head]";
  EXPECT_EQ(axis_of(steps_first + reshaped("t", "32, 4")), (SampleAxis{Kind::Counts, 0, 2}))
      << "[steps * samples * heads, features of a head]";
}

TEST(SampleAxes, HoldForOtherExtentsToo) {
  const SampleAxis front{Kind::Counts, 0, 0}, behind_steps{Kind::Counts, 0, 1};
  EXPECT_EQ(front.cut({12, 5}, 4)->inner, 15U);
  EXPECT_EQ(behind_steps.cut({12, 5}, 4)->inner, 5U);
  EXPECT_EQ(behind_steps.cut({12, 5}, 4)->outer, 3U);
  EXPECT_FALSE(front.cut({13, 5}, 4)) << "of another extent";
  EXPECT_FALSE(front.cut({}, 4));
  EXPECT_FALSE(front.cut({4, 0}, 4));
  EXPECT_FALSE(kUnknown.cut({4, 5}, 4));
  EXPECT_EQ(kUnknown.cut({4, 5}, 1)->inner, 20U) << "one sample has all";
}

TEST(SampleAxes, AreUnknownWhereSamplesMix) {
  EXPECT_EQ(axis_of("m = ReduceMean <axes = [0]> (x) y = Sub (x, m)"), kUnknown);
  EXPECT_EQ(axis_of("y = ReduceMax <keepdims = 0> (x)"), kUnknown);
  EXPECT_EQ(axis_of("i = Constant <value_ints = [3, 2, 1, 0]> () y = Gather (x, i)"), kUnknown)
      << "in another order than the samples came in";
}

TEST(SampleAxes, AreIndependentWhereSamplesChangeNothing) {
  EXPECT_EQ(axis_of("s = Shape (x) y = Cast <to = 1> (s)"), kIndependent);
  EXPECT_EQ(axis_of("k = Constant <value = float[1] {0}> () y = Mul (x, k)"), kUnknown)
      << "samples lead to it, but none changed it";
}

TEST(SampleAxes, AreUnknownWhereChangesFitMoreThanOneAxis) {
  // Of [4, 4] only the diagonal is not 0: sample n changes element [n, n], whichever axis counts samples.
  const std::string diagonal =
      "a = Constant <value_ints = [2]> () m = ReduceMax <axes = [1, 2], keepdims = 1> (x) s = Squeeze (m, a)\n"
      "q = Constant <value = float[4, 4] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}> () e = EyeLike (q)\n";
  EXPECT_EQ(axis_of(diagonal + "y = Mul (s, e)"), kUnknown);
  EXPECT_EQ(axis_of(diagonal + "y = Add (s, e)"), (SampleAxis{Kind::Counts, 0, 0}));
}

TEST(SampleAxes, LieInFrontWithoutAFixedBatch) {
  MemorySource open(samples(9)), single(samples(9));
  const std::string body = "y = Transpose <perm = [1, 0, 2]> (x)";
  EXPECT_EQ(axis_of(model_of(body, "float[N, 4, 8] x"), open), SampleAxis{}) << "joined because any number runs";
  EXPECT_EQ(axis_of(model_of(body, "float[1, 4, 8] x"), single, 1), SampleAxis{});
  EXPECT_EQ(single.reads(0), 0) << "nothing to find";
}

TEST(SampleAxes, AreFoundWithOneSampleToo) {
  MemorySource one(samples(1));
  EXPECT_EQ(axis_of(model_of("y = Transpose <perm = [1, 0, 2]> (x)"), one), (SampleAxis{Kind::Counts, 1, 0}))
      << "its elements in reverse differ";
}

TEST(SampleAxes, AreUnknownWhereNothingRuns) {
  MemorySource other(samples(9, {1, 3, 8}));
  EXPECT_EQ(axis_of(model_of("c = Constant <value_ints = [4, 4, 8]> () y = Reshape (x, c)"), other), kUnknown);
}

TEST(SampleAxes, OfManySamplesAreFoundInThreeRuns) {
  MemorySource source(samples(64, {1, 2, 8}));
  EXPECT_EQ(axis_of(model_of("y = Transpose <perm = [1, 0, 2]> (x)", "float[32, 2, 8] x"), source, 32),
            (SampleAxis{Kind::Counts, 1, 0}));
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(source.reads(i), i < 32 ? 1 : 0) << i;
}

}  // namespace
}  // namespace detent
