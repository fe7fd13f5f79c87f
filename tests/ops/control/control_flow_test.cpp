// If, Loop and Scan: subgraphs run inside the schedule of the graph around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

using testing::ElementsAre;

Model model_of(const std::string& graph, int opset = 13) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
}

std::vector<float> floats(const Tensor& tensor) { return {tensor.data<float>().begin(), tensor.data<float>().end()}; }

Tensor vector_of(std::initializer_list<float> values) {
  return Tensor::from<float>(Shape{static_cast<int64_t>(values.size())}, values);
}

std::vector<Tensor> run_all(const Model& model, const std::vector<Tensor>& inputs) {
  return run_once(model.graph(), inputs, model.graph().outputs());
}

const char* const kIf = R"(g (bool c, float[N] x) => (float[N] y) {
  h = Neg (x)
  y = If (c) <then_branch = t () => (float[N] a) { a = Add (h, x) },
              else_branch = e () => (float[N] b) { b = Mul (h, x) }>
})";

TEST(If, RunsOneBranchWithTheValuesAroundIt) {
  const Model model = model_of(kIf);
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar(true), vector_of({2, 3})})[0]), ElementsAre(0, 0));
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar(false), vector_of({2, 3})})[0]), ElementsAre(-4, -9));
}

TEST(If, RunsAgainOnTheSameExecutor) {
  struct Keeper : Observer {
    Tensor kept;
    void observe(ValueId, const Tensor& tensor) override { kept = tensor.clone(); }
  } keeper;
  const Model model = model_of(kIf);
  const Schedule schedule(model.graph(), model.graph().outputs());
  Executor executor(schedule);
  for (const bool condition : {true, false, true}) {
    executor.run(std::vector<Tensor>{Tensor::scalar(condition), vector_of({5})}, keeper);
    EXPECT_THAT(floats(keeper.kept), ElementsAre(condition ? 0.0F : -25.0F));
  }
}

TEST(If, HandsOutAValueOfTheGraphAroundIt) {
  const Model model = model_of(R"(g (bool c, float[N] x) => (float[N] y, float[N] z) {
    h = Abs (x)
    z = Neg (h)
    y = If (c) <then_branch = t () => (float[N] h) { u = Abs (h) }, else_branch = e () => (float[N] b) { b = Neg (h) }>
  })");
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar(true), vector_of({-2})})[0]), ElementsAre(2));
}

TEST(If, KeepsAValueForABranchAfterItsLastReaderOutside) {
  // Relu could overwrite h in place: the branch still needs it.
  const Model model = model_of(R"(g (bool c, float[N] x) => (float[N] y, float[N] r) {
    h = Neg (x)
    r = Relu (h)
    y = If (c) <then_branch = t () => (float[N] a) { a = Abs (h) }, else_branch = e () => (float[N] b) { b = Neg (h) }>
  })");
  const auto results = run_all(model, {Tensor::scalar(true), vector_of({3, -4})});
  EXPECT_THAT(floats(results[0]), ElementsAre(3, 4));
  EXPECT_THAT(floats(results[1]), ElementsAre(0, 4));
}

TEST(If, SeesFoldedConstantsThroughTwoGraphs) {
  const Model model = model_of(R"(g (bool c, float[N] x) => (float[N] y) <float[1] k = {3}> {
    double = Add (k, k)
    y = If (c) <
      then_branch = t () => (float[N] a) {
        a = If (c) <then_branch = tt () => (float[N] aa) { aa = Mul (x, double) },
                    else_branch = te () => (float[N] ab) { ab = Neg (x) }>
      },
      else_branch = e () => (float[N] b) { b = Neg (x) }>
  })");
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar(true), vector_of({2})})[0]), ElementsAre(12));
  const Schedule schedule(model.graph(), model.graph().outputs());
  ASSERT_EQ(schedule.steps().size(), 1u);
  const ScheduledSubgraph& branch = schedule.steps()[0].subgraphs.at(0);
  ASSERT_EQ(branch.schedule->steps().size(), 1u);
  EXPECT_EQ(branch.captured.size(), 2u);  // c and x; the constant is known inside
}

TEST(If, NamesWhatCannotRunInABranchBeforeAnythingRuns) {
  const Model model = model_of(R"(g (bool c, float[N] x) => (float[N] y) {
    y = If (c) <then_branch = t () => (float[N] a) { a = Abs (x) },
                else_branch = e () => (float[N] b) { b = NoSuchOperator (x) }>
  })");
  try {
    const Schedule schedule(model.graph(), model.graph().outputs());
    FAIL() << "accepted an unknown operator in a branch";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("NoSuchOperator"));
    EXPECT_THAT(error.what(), testing::HasSubstr("else_branch"));
  }
}

TEST(If, IsLeftOutWhenNobodyWantsIt) {
  const Model model = model_of(R"(g (bool c, float[N] x) => (float[N] y, float[N] z) {
    z = Abs (x)
    y = If (c) <then_branch = t () => (float[N] a) { a = NoSuchOperator (x) },
                else_branch = e () => (float[N] b) { b = Neg (x) }>
  })");
  const std::vector<ValueId> wanted{*model.graph().find_value("z")};
  EXPECT_THAT(floats(run_once(model.graph(), std::vector<Tensor>{Tensor::scalar(true), vector_of({-1})}, wanted)[0]),
              ElementsAre(1));
}

const char* const kLoop = R"(g (int64 m, bool c, float[1] x, float[1] limit) => (float[1] y, float[K,1] all) {
  y, all = Loop (m, c, x) <body = b (int64 i, bool going, float[1] sum) => (bool more, float[1] next, float[1] seen) {
    next = Add (sum, sum)
    more = Less (next, limit)
    seen = Identity (sum)
  }>
})";

std::vector<Tensor> run_loop(int64_t trips, bool condition, float limit) {
  const Model model = model_of(kLoop);
  return run_all(model, {Tensor::scalar(trips), Tensor::scalar(condition), vector_of({1}), vector_of({limit})});
}

TEST(Loop, CarriesValuesAndJoinsWhatItSees) {
  const auto results = run_loop(4, true, 1e9F);
  EXPECT_THAT(floats(results[0]), ElementsAre(16));
  EXPECT_EQ(results[1].shape(), (Shape{4, 1}));
  EXPECT_THAT(floats(results[1]), ElementsAre(1, 2, 4, 8));
}

TEST(Loop, StopsWhenTheBodySaysSo) { EXPECT_THAT(floats(run_loop(100, true, 8)[0]), ElementsAre(8)); }

TEST(Loop, MayNotRunAtAll) {
  for (const auto& results : {run_loop(0, true, 8), run_loop(5, false, 8)}) {
    EXPECT_THAT(floats(results[0]), ElementsAre(1));
    EXPECT_EQ(results[1].shape(), (Shape{0, 1}));
  }
}

TEST(Loop, TakesABodyThatHandsOnInputsConstantsAndOuterValues) {
  const Model model = model_of(R"(g (int64 m, float[1] x) => (float[1] y, float[K,1] c, float[K,1] o) {
    h = Neg (x)
    y, c, o = Loop (m, , x) <body = b (int64 i, bool going, float[1] v) => (bool going, float[1] v, float[1] k, float[1] h)
      <float[1] k = {7}> { unused = Abs (v) }>
  })");
  const auto results = run_all(model, {Tensor::scalar<int64_t>(2), vector_of({3})});
  EXPECT_THAT(floats(results[0]), ElementsAre(3));
  EXPECT_THAT(floats(results[1]), ElementsAre(7, 7));
  EXPECT_THAT(floats(results[2]), ElementsAre(-3, -3));
}

TEST(Loop, RefusesABodyWithTooFewOutputs) {
  const Model model = model_of(R"(g (int64 m, bool c, float[1] x) => (float[1] y) {
    y = Loop (m, c, x) <body = b (int64 i, bool going, float[1] sum) => (bool more) { more = Identity (going) }>
  })");
  EXPECT_THROW(run_all(model, {Tensor::scalar<int64_t>(1), Tensor::scalar(true), vector_of({1})}), Error);
}

TEST(Scan, WalksAnAxisInEitherDirection) {
  // Running sums of the rows of [[1,2],[3,4],[5,6]], forwards, and of its columns, backwards.
  const Tensor x = Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const std::string body =
      "body = b (float[N] sum, float[N] row) => (float[N] next, float[N] seen) { next = Add (sum, row)  seen = "
      "Identity (next) }";
  const auto run = [&](const std::string& attributes, const Tensor& start) {
    return run_all(model_of("g (float[N] s, float[A,B] x) => (float[N] y, float[A,B] all) { y, all = Scan "
                            "<num_scan_inputs = 1, " +
                            attributes + body + "> (s, x) }"),
                   {start, x});
  };
  const auto rows = run("", vector_of({0, 0}));
  EXPECT_THAT(floats(rows[0]), ElementsAre(9, 12));
  EXPECT_THAT(floats(rows[1]), ElementsAre(1, 2, 4, 6, 9, 12));
  const auto columns =
      run("scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [1], scan_output_directions = [1], ",
          vector_of({0, 0, 0}));
  EXPECT_THAT(floats(columns[0]), ElementsAre(3, 7, 11));
  EXPECT_EQ(columns[1].shape(), (Shape{3, 2}));
  EXPECT_THAT(floats(columns[1]), ElementsAre(3, 2, 7, 4, 11, 6));
}

}  // namespace
}  // namespace detent
