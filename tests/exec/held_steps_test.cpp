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

TEST_F(Held, StepsAreNoneOfASingleModel) {
  const Model model = plain_model("g (float[2] x) => (float[2] y) { y = Abs (x) }");
  EXPECT_TRUE(HeldSteps(Schedule(model.graph(), model.graph().outputs())).empty());
  EXPECT_FALSE(HeldSteps(schedule_).empty());
}

}  // namespace
}  // namespace detent
