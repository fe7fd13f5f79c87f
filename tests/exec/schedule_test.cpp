#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

Model model_of(const std::string& body, const std::string& signature = "(float[1,4,6,6] x) => (float[N] y)") {
  return parse_model_text("<ir_version: 7, opset_import: [\"\" : 13]>\ng " + signature + " " + body);
}

std::vector<ValueId> named(const Graph& graph, std::initializer_list<const char*> names) {
  std::vector<ValueId> ids;
  for (const char* name : names) ids.push_back(*graph.find_value(name));
  return ids;
}

Tensor ramp(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  float next = -3;
  for (float& x : tensor.mutable_data<float>()) x = next += 0.25F;
  return tensor;
}

const char* const kDepthwiseWeights = "<float[4,1,1,1] w = {1, -2, 3, -4}, float[4] b = {0, 1, 2, 3}> ";

std::vector<std::string> step_ops(const Schedule& schedule) {
  std::vector<std::string> ops;
  for (const Step& step : schedule.steps()) ops.push_back(schedule.graph().node(step.node).op_type);
  return ops;
}

TEST(Schedule, RunsOnlyWhatIsWanted) {
  const Model model = model_of("{ a = Relu (x)  unneeded = NoSuchOperator (a)  y = Abs (a) }");
  const Schedule schedule(model.graph(), named(model.graph(), {"y"}));
  EXPECT_EQ(step_ops(schedule), (std::vector<std::string>{"Relu", "Abs"}));
}

TEST(Schedule, NamesEveryNeededNodeThatCannotRunAtOnce) {
  const Model model = model_of("{ a = NoSuchOperator (x)  b = AnotherOne (a)  y = Abs (b) }");
  try {
    const Schedule schedule(model.graph(), model.graph().outputs());
    FAIL() << "accepted unknown operators";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_NE(std::string(error.what()).find("NoSuchOperator"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("AnotherOne"), std::string::npos);
  }
}

TEST(Schedule, ComputesConstantsOnce) {
  const Model model = model_of("<float[1] c = {2}> { d = Mul (c, c)  e = Relu (d)  y = Add (x, e) }");
  const Schedule schedule(model.graph(), model.graph().outputs());
  EXPECT_EQ(step_ops(schedule), (std::vector<std::string>{"Add"}));
  EXPECT_EQ(schedule.constant(*model.graph().find_value("e"))->data<float>()[0], 4);
}

TEST(Schedule, FusesAnActivationBehindAConvolution) {
  const Model model = model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  y = Relu (c) }");
  EXPECT_EQ(Schedule(model.graph(), model.graph().outputs()).steps().size(), 1U);
}

TEST(Schedule, KeepsAWatchedInnerValueApart) {
  const Model model = model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  y = Relu (c) }");
  EXPECT_EQ(Schedule(model.graph(), named(model.graph(), {"c", "y"})).steps().size(), 2U);
}

TEST(Schedule, KeepsAnInnerValueWithAnotherReaderApart) {
  const Model model =
      model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  r = Relu (c)  y = Sub (r, c) }");
  EXPECT_EQ(Schedule(model.graph(), model.graph().outputs()).steps().size(), 3U);
}

/// The same outputs with and without fusion. Whole-number weights on quarter steps are exact in float; an activation
/// may round its intermediate results otherwise, some 2^-24 of values of a few units.
void expect_fusion_changes_nothing(const Model& model, const Tensor& input, size_t fused_steps) {
  struct Keeper : Observer {
    Tensor kept;
    void observe(ValueId, const Tensor& tensor) override { kept = to_plain(tensor).clone(); }
  } fused_result, plain_result;
  const Schedule fused(model.graph(), model.graph().outputs());
  const Schedule plain(model.graph(), model.graph().outputs(), {.fuse = false});
  EXPECT_EQ(fused.steps().size(), fused_steps);
  Executor(fused).run(std::span(&input, 1), fused_result);
  Executor(plain).run(std::span(&input, 1), plain_result);
  ASSERT_EQ(fused_result.kept.shape(), plain_result.kept.shape());
  for (size_t i = 0; i < fused_result.kept.data<float>().size(); ++i)
    EXPECT_NEAR(fused_result.kept.data<float>()[i], plain_result.kept.data<float>()[i],
                1e-6 * std::max(1.0F, std::abs(plain_result.kept.data<float>()[i])));
}

TEST(Schedule, FusesAResidualAddWhoseOtherInputComesLater) {
  const Model model = model_of(std::string(kDepthwiseWeights) +
                               "{ c = Conv <group = 4> (x, w, b)  s = Abs (x)  d = Add (s, c)  y = Relu (d) }");
  expect_fusion_changes_nothing(model, ramp({1, 4, 6, 6}), 2);
}

TEST(Schedule, FusesTheSiluPattern) {
  const Model model =
      model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  s = Sigmoid (c)  y = Mul (s, c) }");
  expect_fusion_changes_nothing(model, ramp({1, 4, 6, 6}), 1);
}

TEST(Schedule, FusesActivationsAndResidualsInTheirOrder) {
  // More elements than a stretch, which is 4096 of them.
  for (const char* chain : {"s = Sigmoid (c)  m = Mul (c, s)  y = Add (m, x)", "m = Add (x, c)  y = Sigmoid (m)",
                            "m = Add (c, x)  s = Sigmoid (m)  g = Mul (m, s)  y = Relu (g)"}) {
    SCOPED_TRACE(chain);
    const Model model = model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  " + chain + " }",
                                 "(float[N,4,H,W] x) => (float[N] y)");
    Tensor input = ramp({1, 4, 37, 41});
    for (float& x : input.mutable_data<float>()) x /= 256;
    expect_fusion_changes_nothing(model, input, 1);
  }
}

TEST(Schedule, GivesActivationsTheSameBitsInATeam) {
  const Model model = model_of("{ c = Conv (x, w)  s = Sigmoid (c)  m = Mul (c, s)  y = Add (m, x) }",
                               "(float[N,64,H,W] x, float[64,64,1,1] w) => (float[N] y)");
  std::vector<Tensor> inputs{ramp({1, 64, 33, 32}), ramp({64, 64, 1, 1})};  // enough products to be worth a team
  for (Tensor& input : inputs)
    for (float& x : input.mutable_data<float>()) x = std::sin(x);
  const auto run = [&](int team) {
    OutputKeeper keeper(model.graph(), model.graph().outputs());
    const Schedule schedule(model.graph(), model.graph().outputs(), {.team = team});
    EXPECT_EQ(schedule.steps().size(), 1U);
    Executor(schedule).run(inputs, keeper);
    return keeper.take().front();
  };
  const Tensor alone = run(1), together = run(3);
  EXPECT_TRUE(std::ranges::equal(alone.data<float>(), together.data<float>()));
}

TEST(Schedule, FusesHardSwishWrittenAsItsFormula) {
  const Model model =
      model_of(std::string(kDepthwiseWeights) +
               "{ c = Conv <group = 4> (x, w, b)  s = HardSigmoid <alpha = 0.16666667> (c)  y = Mul (s, c) }");
  expect_fusion_changes_nothing(model, ramp({1, 4, 6, 6}), 1);
}

TEST(Schedule, KeepsAHardSigmoidWithAnotherSlopeApart) {
  const Model model = model_of(std::string(kDepthwiseWeights) +
                               "{ c = Conv <group = 4> (x, w, b)  s = HardSigmoid <alpha = 0.2> (c)  y = Mul (s, c) }");
  expect_fusion_changes_nothing(model, ramp({1, 4, 6, 6}), 3);
}

TEST(Schedule, AddsABroadcastResidualCorrectly) {
  const Model model = model_of(std::string(kDepthwiseWeights) +
                               "{ m = GlobalAveragePool (x)  c = Conv <group = 4> (m, w, b)  y = Add (c, x) }");
  expect_fusion_changes_nothing(model, ramp({1, 4, 6, 6}), 2);
}

TEST(Executor, DoesNotOverwriteAValueThatIsStillRead) {
  const Model model = model_of("{ a = Abs (x)  b = Relu (a)  c = Neg (a)  y = Add (b, c) }");
  const Tensor x = ramp({1, 4, 6, 6});
  const Tensor y = run_once(model.graph(), std::span(&x, 1), model.graph().outputs()).front();
  for (const float value : y.data<float>()) EXPECT_EQ(value, 0);
}

TEST(Executor, NeverWritesIntoItsInputs) {
  const Model model = model_of("{ a = Neg (x)  y = Relu (a) }");
  const Tensor x = ramp({1, 4, 6, 6});
  const Tensor before = x.clone();
  static_cast<void>(run_once(model.graph(), std::span(&x, 1), model.graph().outputs()));
  for (size_t i = 0; i < x.data<float>().size(); ++i) EXPECT_EQ(x.data<float>()[i], before.data<float>()[i]);
}

TEST(Executor, GivesTheSameBitsInEveryRunAndForChangingShapes) {
  const Model model =
      model_of(std::string(kDepthwiseWeights) + "{ c = Conv <group = 4> (x, w, b)  s = Sigmoid (c)  y = Mul (s, c) }",
               "(float[N,4,H,W] x) => (float[N] y)");
  const Schedule schedule(model.graph(), model.graph().outputs());
  Executor executor(schedule);
  struct Keeper : Observer {
    std::vector<Tensor> kept;
    void observe(ValueId, const Tensor& tensor) override { kept.push_back(to_plain(tensor).clone()); }
  } keeper;
  for (const int64_t size : {6, 9, 6}) {
    const Tensor x = ramp({1, 4, size, size});
    executor.run(std::span(&x, 1), keeper);
  }
  ASSERT_EQ(keeper.kept.size(), 3U);
  for (size_t i = 0; i < keeper.kept[0].data<float>().size(); ++i)
    EXPECT_EQ(keeper.kept[0].data<float>()[i], keeper.kept[2].data<float>()[i]);
}

TEST(Executor, NamesNodeAndOperatorInErrors) {
  const Model model = model_of("<float[5] c = {1,2,3,4,5}> { y = Add (x, c) }");
  const Tensor x = ramp({1, 4, 6, 6});
  try {
    static_cast<void>(run_once(model.graph(), std::span(&x, 1), model.graph().outputs()));
    FAIL() << "added shapes that do not broadcast";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(Add, opset 13)"), std::string::npos) << error.what();
  }
}

TEST(Executor, RefusesAnInputOfAnotherType) {
  const Model model = model_of("{ y = Relu (x) }");
  const Tensor x = Tensor::from<int64_t>({1, 4, 1, 1}, {1, 2, 3, 4});
  EXPECT_THROW(static_cast<void>(run_once(model.graph(), std::span(&x, 1), model.graph().outputs())), Error);
}

TEST(BufferPool, ReusesWhatWasGivenBack) {
  BufferPool pool;
  { const BufferRef first = pool.allocate(1000); }
  const size_t reserved = pool.reserved_bytes();
  { const BufferRef second = pool.allocate(900); }
  EXPECT_EQ(pool.reserved_bytes(), reserved);
  const BufferRef third = pool.allocate(1000);
  const BufferRef fourth = pool.allocate(1000);
  EXPECT_GT(pool.reserved_bytes(), reserved);
}

TEST(ExactFusion, FusesWhatHasTheBitsOfItsOwnStep) {
  const auto steps = [](const std::string& activation, const std::string& type = "float") {
    const std::string shape = type + "[1,1,4,4]", number = type == "float" ? "1" : "10";
    const Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 14]>\ng (" + shape + " x) => (" +
                                         shape + " y) <float[1,1,1,1] f = {2}>\n{ w = Cast <to = " + number +
                                         "> (f)  c = Conv (x, w)  y = " + activation + " (c) }");
    const std::vector<ValueId> wanted = {*model.graph().find_value("y")};
    return std::pair(Schedule(model.graph(), wanted).steps().size(),
                     Schedule(model.graph(), wanted, {.exact_fusion = true}).steps().size());
  };
  EXPECT_EQ(steps("Relu"), (std::pair<size_t, size_t>(1, 1)));
  EXPECT_EQ(steps("Sigmoid"), (std::pair<size_t, size_t>(1, 1)));
  EXPECT_EQ(steps("HardSwish"), (std::pair<size_t, size_t>(1, 2))) << "oneDNN's rounds otherwise than ours";
  EXPECT_EQ(steps("Sigmoid", "float16"), (std::pair<size_t, size_t>(1, 2))) << "of a rounded number";
}

/// Returns y of a convolution of 16 channels and the nodes from c to y behind it.
Tensor exactly_fused(const std::string& attributes, const Shape& weights, const std::string& chain,
                     std::initializer_list<const char*> wanted) {
  Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 14]>\ng (float[N,16,H,W] x) => (float[M] y)"
      " <float[1] w = {0}>\n{ c = Conv <" +
      attributes + "> (x, w)  " + chain + " }");
  test::Numbers numbers(7);
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants.emplace_back("w", numbers.tensor(weights));
  apply_patch(model, patch);
  const Tensor x = numbers.tensor({2, 16, 37, 41});
  OutputKeeper keeper(model.graph(), named(model.graph(), wanted));
  Executor(Schedule(model.graph(), named(model.graph(), wanted), {.exact_fusion = true})).run(std::span(&x, 1), keeper);
  return keeper.take().back();
}

TEST(ExactFusion, GivesTheBitsOfSeparateSteps) {
  const std::pair<const char*, Shape> convolutions[] = {{"group = 1", {16, 16, 1, 1}},
                                                        {"pads = [1, 1, 1, 1]", {16, 16, 3, 3}},
                                                        {"group = 16, strides = [2, 2]", {16, 1, 3, 3}}};
  for (const auto& [attributes, weights] : convolutions)
    for (const char* chain : {"y = Sigmoid (c)", "y = Tanh (c)", "s = Sigmoid (c)  y = Mul (c, s)",
                              "s = Sigmoid (c)  m = Mul (s, c)  y = Relu (m)", "r = Relu (c)  y = Tanh (r)"}) {
      const Tensor fused = exactly_fused(attributes, weights, chain, {"y"});
      const Tensor alone = exactly_fused(attributes, weights, chain, {"c", "y"});
      EXPECT_TRUE(std::ranges::equal(fused.data<float>(), alone.data<float>())) << attributes << ": " << chain;
    }
}

}  // namespace
}  // namespace detent
