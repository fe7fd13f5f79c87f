// Sequences and optionals on their way through a schedule: carried, returned, captured, folded, and kept from other
// operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "model/list_types_text.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model sequence_model(const std::string& graph, int opset = 17) {
  return test::parse_list_types("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
}

std::vector<float> floats(const Tensor& tensor) { return {tensor.data<float>().begin(), tensor.data<float>().end()}; }

Tensor vector_of(std::initializer_list<float> values) {
  return Tensor::from<float>(Shape{static_cast<int64_t>(values.size())}, values);
}

std::vector<Tensor> run_all(const Model& model, const std::vector<Tensor>& inputs) {
  return run_once(model.graph(), inputs, model.graph().outputs());
}

std::string error_of(const Model& model, const std::vector<Tensor>& inputs) {
  try {
    static_cast<void>(run_all(model, inputs));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// PyTorch's exporter writes this for a list that a loop appends to.
const char* const kCollect = R"(g (int64 m, float[1] x) => (float[K] y, int64 n) {
  none = SequenceEmpty ()
  last, list = Loop (m, , x, none) <body = b (int64 i, bool going, float[1] v, seq(float[1]) s)
                                        => (bool on, float[1] next, seq(float[1]) longer) {
    on = Identity (going)
    next = Add (v, v)
    longer = SequenceInsert (s, v)
  }>
  n = SequenceLength (list)
  y = ConcatFromSequence <axis = 0> (list)
})";

TEST(SequenceValues, ALoopCollectsThem) {
  const Model model = sequence_model(kCollect);
  const auto results = run_all(model, {Tensor::scalar<int64_t>(4), vector_of({1})});
  EXPECT_THAT(floats(results[0]), ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(results[1].data<int64_t>()[0], 4);
}

TEST(SequenceValues, TheSameExecutorStartsAnEmptyListAgain) {
  struct Keeper : Observer {
    std::vector<Tensor> kept;
    void observe(ValueId, const Tensor& tensor) override { kept.push_back(tensor.clone()); }
  } keeper;
  const Model model = sequence_model(kCollect);
  const std::vector<ValueId> wanted{*model.graph().find_value("list")};
  const Schedule schedule(model.graph(), wanted);
  Executor executor(schedule);
  for (const int64_t trips : {3, 0, 2})
    executor.run(std::vector<Tensor>{Tensor::scalar(trips), vector_of({1})}, keeper);
  ASSERT_EQ(keeper.kept.size(), 3u);
  EXPECT_EQ(keeper.kept[0].elements().size(), 3u);
  EXPECT_EQ(keeper.kept[1].elements().size(), 0u);
  EXPECT_EQ(keeper.kept[2].elements().size(), 2u);
}

const char* const kMaybe = R"(g (bool c, float[N] x) => (optional(float[N]) o, bool there) {
  o = If (c) <then_branch = t () => (optional(float[N]) a) { n = Neg (x)  a = Optional (n) },
              else_branch = e () => (optional(float[N]) b) { b = Optional () }>
  p = Identity (o)
  there = OptionalHasElement (p)
})";

TEST(OptionalValues, ABranchReturnsOneOrNone) {
  const Model model = sequence_model(kMaybe);
  const auto full = run_all(model, {Tensor::scalar(true), vector_of({2})});
  EXPECT_THAT(floats(full[0]), ElementsAre(-2));
  EXPECT_TRUE(full[1].data<bool>()[0]);
  const auto none = run_all(model, {Tensor::scalar(false), vector_of({2})});
  EXPECT_TRUE(none[0].empty_handle());
  EXPECT_FALSE(none[1].data<bool>()[0]);
}

TEST(OptionalValues, AnAbsentOneIsNotObserved) {
  struct Counter : Observer {
    size_t seen = 0;
    void observe(ValueId, const Tensor& tensor) override { seen += !tensor.empty_handle() ? 1 : 100; }
  } counter;
  const Model model = sequence_model(kMaybe);
  const Schedule schedule(model.graph(), model.graph().outputs());
  Executor executor(schedule);
  executor.run(std::vector<Tensor>{Tensor::scalar(false), vector_of({2})}, counter);
  EXPECT_EQ(counter.seen, 1u);  // "there" alone
}

TEST(OptionalValues, ABranchAndALoopSeeTheAbsentOneOfTheGraphAround) {
  const Model model = sequence_model(R"(g (optional(float[N]) o, float[N] x) => (float[N] y) {
    has = OptionalHasElement (o)
    y = If (has) <then_branch = t () => (float[N] a) { a = OptionalGetElement (o) },
                  else_branch = e () => (float[N] b) { b = Neg (x) }>
  })");
  EXPECT_THAT(floats(run_all(model, {vector_of({7}), vector_of({1})})[0]), ElementsAre(7));
  EXPECT_THAT(floats(run_all(model, {Tensor(), vector_of({1})})[0]), ElementsAre(-1));
  const Model loop = sequence_model(R"(g (int64 m, optional(float[N]) o, float[N] x) => (bool last) {
    none = Optional ()
    state = Loop (m, , o) <body = b (int64 i, bool going, optional(float[N]) s) => (bool going, optional(float[N]) z) {
      z = Optional (x)
    }>
    last = OptionalHasElement (state)
  })");
  for (const int64_t trips : {0, 2})
    EXPECT_EQ(run_all(loop, {Tensor::scalar(trips), Tensor(), vector_of({1})})[0].data<bool>()[0], trips > 0);
}

TEST(SequenceValues, AreKeptFromOperatorsOfTensors) {
  const std::string transposed = "g (float[N] x) => (float[N] y) { s = SequenceConstruct (x)  y = Transpose (s) }";
  EXPECT_THAT(error_of(sequence_model(transposed), {vector_of({1})}), HasSubstr("input 's' is a sequence"));
  const std::string constant =
      "g (float[N] x) => (float[N] y) <float[1] k = {1}> { s = SequenceConstruct (k)  y = Mul (x, s) }";
  EXPECT_THAT(error_of(sequence_model(constant), {vector_of({1})}), HasSubstr("input 's' is a sequence"));
  const std::string absent = "g (float[N] x) => (float[N] y) { o = Optional ()  y = Mul (x, o) }";
  EXPECT_THAT(error_of(sequence_model(absent), {vector_of({1})}), HasSubstr("input 'o' was not given"));
  const std::string stacked = R"(g (int64 m, float[N] x) => (float[N] y) {
    y = Loop (m, ) <body = b (int64 i, bool going) => (bool going, seq(float[N]) s) { s = SequenceConstruct (x) }>
  })";
  EXPECT_FALSE(error_of(sequence_model(stacked), {Tensor::scalar<int64_t>(2), vector_of({1})}).empty());
  const std::string condition = R"(g (float[N] x) => (float[N] y) {
    c = Optional ()
    y = If (c) <then_branch = t () => (float[N] a) { a = Neg (x) }, else_branch = e () => (float[N] b) { b = Abs (x) }>
  })";
  EXPECT_THAT(error_of(sequence_model(condition), {vector_of({1})}), HasSubstr("condition is absent"));
}

TEST(SequenceValues, TensorsAndSequencesAreNotMistakenForEachOther) {
  const Model at = sequence_model("g (seq(float[N]) s, int64 i) => (float[N] y) { y = SequenceAt (s, i) }");
  EXPECT_THAT(error_of(at, {vector_of({1}), Tensor::scalar<int64_t>(0)}), HasSubstr("is sequence, got float"));
  const Model length = sequence_model("g (float[N] x) => (int64 y) { y = SequenceLength (x) }");
  EXPECT_THAT(error_of(length, {vector_of({1})}), HasSubstr("should be a sequence"));
}

TEST(SequenceValues, OfConstantsAreMadeForEveryRun) {
  const Model model = sequence_model(
      "g (int64 i) => (float[N] y) <float[2] a = {1, 2}, float[1] b = {3}> "
      "{ s = SequenceConstruct (a, b)  y = SequenceAt (s, i) }");
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar<int64_t>(1)})[0]), ElementsAre(3));
  EXPECT_THAT(floats(run_all(model, {Tensor::scalar<int64_t>(0)})[0]), ElementsAre(1, 2));
}

}  // namespace
}  // namespace detent
