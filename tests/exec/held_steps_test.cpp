#include "exec/held_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "model/joined_models.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

Model plain_model(const std::string& graph) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\n" + graph);
}

/// memory = 2 |x|; y = memory + h, which is read twice.
Model held_pair() {
  std::vector<NamedModel> models;
  models.push_back({"enc", plain_model("g (float[2] x) => (float[2] memory) { a = Abs (x)\n memory = Add (a, a) }")});
  models.push_back(
      {"dec", plain_model("g (float[2] memory, float[2] h) => (float[2] y) { b = Neg (memory)\n y = Sub (h, b) }")});
  return join_models(std::move(models), {{"enc:memory", "dec:memory"}}, "pair.json");
}

class Held : public ::testing::Test {
 protected:
  /// Returns the values of a run on numbers that lie outside, so that the same tensor may change.
  std::vector<std::vector<float>> run(Executor& executor, std::span<const float> x, std::vector<float> h) {
    OutputKeeper keeper(model_.graph(), wanted_);
    const std::vector<Tensor> inputs{Tensor::view(DataType::Float32, Shape{2}, x.data()), Tensor::from<float>({2}, h)};
    executor.run(inputs, keeper);
    std::vector<std::vector<float>> found;
    for (const Tensor& tensor : keeper.take())
      found.emplace_back(tensor.data<float>().begin(), tensor.data<float>().end());
    return found;
  }

  Model model_ = held_pair();
  std::vector<ValueId> wanted_{*model_.graph().find_value("enc:a"), *model_.graph().find_value("dec:y")};
  Schedule schedule_{model_.graph(), wanted_};
};

TEST_F(Held, StepsInFrontOfTheLastFileRunOnceWhileTheirInputsAreTheSameTensors) {
  Executor executor(schedule_);
  std::vector<float> x{1, -2};
  EXPECT_THAT(run(executor, x, {10, 20}), ElementsAre(ElementsAre(1, 2), ElementsAre(12, 24)));
  x = {5, 5};  // in the same memory: no caller may do that, and it shows that the steps do not run
  EXPECT_THAT(run(executor, x, {30, 40}), ElementsAre(ElementsAre(1, 2), ElementsAre(32, 44)))
      << "observed again, and read by the other file";
  const std::vector<float> other{3, 4};
  EXPECT_THAT(run(executor, other, {0, 0}), ElementsAre(ElementsAre(3, 4), ElementsAre(6, 8))) << "another tensor";
  EXPECT_THAT(run(executor, x, {0, 0}), ElementsAre(ElementsAre(5, 5), ElementsAre(10, 10)));
}

TEST_F(Held, OfATransducerOnlyTheStepsInFrontOfItsFramesStay) {
  std::vector<NamedModel> models;
  models.push_back({"enc", plain_model("g (float[1, T] x) => (float[1, T] memory) { memory = Neg (x) }")});
  models.push_back({"pred", plain_model("g (float[1, 1] h) => (float[1, 1] told) { told = Abs (h) }")});
  models.push_back({"join", plain_model("g (float[1, 1] frame, float[1, 1] told) => (float[1, 1] y) "
                                        "{ y = Add (frame, told) }")});
  const Model model = join_models(std::move(models), {{"enc:memory", "join:frame"}, {"pred:told", "join:told"}},
                                  "parts.json", FrameFeed{"enc:memory", 1, {}, true});
  const Schedule schedule(model.graph(), std::vector<ValueId>{*model.graph().find_value("join:y")}, {.fuse = false});
  const HeldSteps held(schedule);
  for (size_t i = 0; i < schedule.steps().size(); ++i) {
    const std::string& op = model.graph().node(schedule.steps()[i].node).op_type;
    EXPECT_EQ(held.contains(i), op == "Neg") << op;
  }
  Executor executor(schedule);
  const auto y = [&](const Tensor& x, int64_t frame, float h) {
    OutputKeeper keeper(model.graph(), std::vector<ValueId>{*model.graph().find_value("join:y")});
    executor.run(std::vector<Tensor>{Tensor::from<int64_t>({1}, {frame}), x, Tensor::from<float>({1, 1}, {h})}, keeper);
    return keeper.take()[0].data<float>()[0];
  };
  std::vector<float> numbers{1, 2};
  const Tensor x = Tensor::view(DataType::Float32, Shape{1, 2}, numbers.data());
  EXPECT_EQ(y(x, 0, -10), 9);
  numbers = {5, 5};  // shows that the encoder does not run again
  EXPECT_EQ(y(x, 1, -20), 18);
  const Tensor other = Tensor::from<float>({1, 2}, {7, 8});
  EXPECT_EQ(y(other, 1, 0), -8);
}

/// Returns the operators of the held steps.
std::vector<std::string> held_operators(const std::string& graph) {
  const Model model = plain_model(graph);
  const Schedule schedule(model.graph(), model.graph().outputs(), {.fuse = false});
  const HeldSteps held(schedule);
  std::vector<std::string> found;
  for (size_t i = 0; i < schedule.steps().size(); ++i)
    if (held.contains(i)) found.push_back(model.graph().node(schedule.steps()[i].node).op_type);
  return found;
}

TEST_F(Held, StepsOfASingleModelAreThoseThatFollowFromShapes) {
  EXPECT_THAT(held_operators("g (float[2] x) => (float[2] y) { y = Abs (x) }"), ElementsAre());
  EXPECT_THAT(
      held_operators("g (float[N, 3] x) => (float[M] y) <int64[1] less = {-1}> "
                     "{ t = Transpose (x)  s = Shape (t)  a = Concat <axis = 0> (s, less)  y = Reshape (x, a) }"),
      ElementsAre("Shape", "Concat"));
  EXPECT_THAT(held_operators("g (float[N, 3] x) => (float[N] y) { i = NonZero (x)  s = Shape (i)  c = Cast <to = 1> (s)"
                             "  y = Add (c, c) }"),
              ElementsAre())
      << "the shape follows from elements";
  EXPECT_THAT(held_operators("g (float[N] x, int64[1] k) => (float[N] y) { r = Reshape (x, k)  s = Shape (r)"
                             "  c = Cast <to = 1> (s)  y = Add (c, r) }"),
              ElementsAre())
      << "so does this one";
}

TEST_F(Held, StepsBehindShapesRunOnceForEachShape) {
  const Model model = plain_model(
      "g (float[N, 2] x) => (float[N, 2] y, int64[2] s) { s = Shape (x)"
      "  c = Cast <to = 1> (s)  y = Add (x, c) }");
  const Schedule schedule(model.graph(), model.graph().outputs());
  Executor executor(schedule);
  StepTimes times(schedule.steps().size());
  executor.measure(&times);
  const auto rows = [&](int64_t count, float first) {
    Tensor x(DataType::Float32, Shape{count, 2});
    for (float& number : x.mutable_data<float>()) number = first++;
    OutputKeeper keeper(model.graph(), model.graph().outputs());
    executor.run(std::span(&x, 1), keeper);
    const auto outputs = keeper.take();
    std::vector<float> found(outputs[0].data<float>().begin(), outputs[0].data<float>().end());
    found.push_back(static_cast<float>(outputs[1].data<int64_t>()[0]));
    return found;
  };
  ASSERT_EQ(model.graph().node(schedule.steps()[0].node).op_type, "Shape");
  EXPECT_THAT(rows(1, 5), ElementsAre(6, 8, 1));
  const int64_t once = times.steps[0];
  EXPECT_THAT(rows(1, 7), ElementsAre(8, 10, 1)) << "other numbers of the same shape, and the shape observed again";
  EXPECT_EQ(times.steps[0], once) << "the step ran again";
  EXPECT_THAT(rows(2, 0), ElementsAre(2, 3, 4, 5, 2)) << "another shape";
  EXPECT_GT(times.steps[0], once);
  EXPECT_THAT(rows(1, 5), ElementsAre(6, 8, 1));
}

}  // namespace
}  // namespace detent
