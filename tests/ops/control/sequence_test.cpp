// Sequences and optionals: each operator in a separate graph, run by the executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/executor.h"
#include "model/list_types_text.h"
#include "ops/find_operator.h"
#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::integers;
using test::values;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Runs "(inputs) => (outputs) { nodes }".
std::vector<Tensor> run_text(const std::string& text, const std::vector<Tensor>& inputs, int opset = 17) {
  const Model model =
      test::parse_list_types("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> g " + text);
  return run_once(model.graph(), inputs, model.graph().outputs());
}

Tensor row(std::initializer_list<float> numbers) {
  return Tensor::from<float>(Shape{static_cast<int64_t>(numbers.size())}, numbers);
}

Tensor rows(std::initializer_list<Tensor> tensors) { return Tensor::sequence(tensors); }

ErrorCode error_code(const std::string& text, const std::vector<Tensor>& inputs) {
  try {
    static_cast<void>(run_text(text, inputs));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::Internal;  // nothing thrown; no test expects it
}

TEST(SequenceConstruct, ListsItsInputsInOrder) {
  const Tensor list = run_text("(float[N] a, float[M] b) => (seq(float[K]) y) { y = SequenceConstruct (b, a) }",
                               {row({1}), row({2, 3})})[0];
  ASSERT_EQ(list.elements().size(), 2u);
  EXPECT_THAT(values(list.elements()[0]), ElementsAre(2, 3));
  EXPECT_THAT(values(list.elements()[1]), ElementsAre(1));
}

TEST(SequenceConstruct, KeepsElementsPlain) {
  // Conv may leave its output channels-last.
  const std::string text =
      "(float[1,8,4,4] x, float[8,8,1,1] w) => (float[1,8,4,4] y, seq(float[1,8,4,4]) list) "
      "{ y = Conv (x, w)  list = SequenceConstruct (y) }";
  const Tensor x = test::ramp({1, 8, 4, 4}), w = test::ramp({8, 8, 1, 1});
  const auto results = run_text(text, {x, w});
  EXPECT_EQ(results[1].elements()[0].layout(), Layout::Plain);
  EXPECT_EQ(values(results[1].elements()[0]), values(results[0]));
}

TEST(SequenceConstruct, RefusesTwoTypes) {
  EXPECT_EQ(error_code("(float[N] a, int64[N] b) => (seq(float[K]) y) { y = SequenceConstruct (a, b) }",
                       {row({1}), int64s({2})}),
            ErrorCode::InvalidData);
}

TEST(SequenceEmpty, HasNoElements) {
  const auto results =
      run_text("() => (seq(float[K]) y, int64 n) { y = SequenceEmpty ()  n = SequenceLength (y) }", {});
  EXPECT_THAT(results[0].elements(), IsEmpty());
  EXPECT_EQ(results[1].shape().rank(), 0u);
  EXPECT_THAT(integers(results[1]), ElementsAre(0));
}

TEST(SequenceEmpty, RefusesStringsBeforeAnythingRuns) {
  const Model model = test::parse_list_types(
      "<ir_version: 8, opset_import: [\"\" : 17]> g () => (seq(string[K]) y) { y = SequenceEmpty <dtype = 8> () }");
  EXPECT_EQ(find_unsupported(model.graph(), std::vector<NodeId>{NodeId{0}}).size(), 1u);
}

const std::string kAt = "(seq(float[K]) s, int64 i) => (float[K] y) { y = SequenceAt (s, i) }";

TEST(SequenceAt, CountsFromEitherEnd) {
  const Tensor list = rows({row({1}), row({2}), row({3})});
  EXPECT_THAT(values(run_text(kAt, {list, Tensor::scalar<int64_t>(1)})[0]), ElementsAre(2));
  EXPECT_THAT(values(run_text(kAt, {list, Tensor::scalar<int64_t>(-3)})[0]), ElementsAre(1));
}

TEST(SequenceAt, RefusesAPositionOutside) {
  const Tensor list = rows({row({1})});
  for (const int64_t at : {1, -2}) EXPECT_EQ(error_code(kAt, {list, Tensor::scalar(at)}), ErrorCode::InvalidData) << at;
  EXPECT_EQ(error_code(kAt, {rows({}), Tensor::scalar<int64_t>(0)}), ErrorCode::InvalidData);
}

TEST(SequenceAt, DoesNotLetTheElementBeOverwritten) {
  // Relu works in place where it can; the list is still read after it.
  const auto results = run_text(
      "(float[N] x, int64 i) => (float[N] r, float[N] e) "
      "{ n = Neg (x)  s = SequenceConstruct (n)  a = SequenceAt (s, i)  r = Relu (a)  e = SequenceAt (s, i) }",
      {row({1, -2}), Tensor::scalar<int64_t>(0)});
  EXPECT_THAT(values(results[0]), ElementsAre(0, 2));
  EXPECT_THAT(values(results[1]), ElementsAre(-1, 2));
}

std::vector<float> firsts(const Tensor& list) {
  std::vector<float> found;
  for (const Tensor& element : list.elements()) found.push_back(element.data<float>()[0]);
  return found;
}

TEST(SequenceInsert, PutsTheTensorInFrontOfThePosition) {
  const std::string text =
      "(seq(float[K]) s, float[K] x, int64 i) => (seq(float[K]) y) { y = SequenceInsert (s, x, i) }";
  const Tensor list = rows({row({1}), row({2})});
  const auto inserted = [&](int64_t at) { return firsts(run_text(text, {list, row({9}), Tensor::scalar(at)})[0]); };
  EXPECT_THAT(inserted(0), ElementsAre(9, 1, 2));
  EXPECT_THAT(inserted(2), ElementsAre(1, 2, 9));
  EXPECT_THAT(inserted(-1), ElementsAre(1, 9, 2));
  EXPECT_THAT(inserted(-2), ElementsAre(9, 1, 2));
  EXPECT_EQ(error_code(text, {list, row({9}), Tensor::scalar<int64_t>(3)}), ErrorCode::InvalidData);
  EXPECT_EQ(error_code(text, {list, row({9}), Tensor::scalar<int64_t>(-3)}), ErrorCode::InvalidData);
  EXPECT_THAT(firsts(run_text("(seq(float[K]) s, float[K] x) => (seq(float[K]) y) { y = SequenceInsert (s, x) }",
                              {list, row({9})})[0]),
              ElementsAre(1, 2, 9));
}

TEST(SequenceErase, TakesOutOneElement) {
  const std::string text = "(seq(float[K]) s, int64 i) => (seq(float[K]) y) { y = SequenceErase (s, i) }";
  const Tensor list = rows({row({1}), row({2}), row({3})});
  EXPECT_THAT(firsts(run_text(text, {list, Tensor::scalar<int64_t>(-2)})[0]), ElementsAre(1, 3));
  EXPECT_THAT(firsts(run_text("(seq(float[K]) s) => (seq(float[K]) y) { y = SequenceErase (s) }", {list})[0]),
              ElementsAre(1, 2));
  EXPECT_EQ(error_code(text, {rows({}), Tensor::scalar<int64_t>(0)}), ErrorCode::InvalidData);
}

std::vector<Tensor> split(const std::string& attributes, const Tensor& x, const Tensor& lengths, int opset = 17) {
  const std::string given = lengths.empty_handle() ? "" : ", n";
  const std::string input = lengths.empty_handle() ? "" : (lengths.shape().rank() == 0 ? ", int64 n" : ", int64[P] n");
  return run_text("(float[A,B] x" + input + ") => (seq(float[C,D]) y) { y = SplitToSequence " + attributes + " (x" +
                      given + ") }",
                  lengths.empty_handle() ? std::vector<Tensor>{x} : std::vector<Tensor>{x, lengths}, opset)[0]
      .elements();
}

TEST(SplitToSequence, CutsEqualPartsAndARest) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto parts = split("<axis = 1>", x, Tensor::scalar<int64_t>(2));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(values(parts[0]), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(parts[1].shape(), (Shape{2, 1}));
  EXPECT_THAT(values(parts[1]), ElementsAre(3, 6));
}

TEST(SplitToSequence, TakesListedPartsAlsoEmptyOnes) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const int opset : {11, 17, 24}) {
    const auto parts = split("<axis = -1, keepdims = 0>", x, int64s({0, 1, 2}), opset);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].shape(), (Shape{2, 0}));
    EXPECT_EQ(parts[1].shape(), (Shape{2, 1}));  // keepdims does not count where parts are given
    EXPECT_THAT(values(parts[2]), ElementsAre(2, 3, 5, 6));
  }
}

TEST(SplitToSequence, DropsTheAxisOnlyWhenNoPartsAreGiven) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(split("", x, {})[1].shape(), (Shape{1, 3}));
  EXPECT_EQ(split("<keepdims = 0>", x, {})[1].shape(), (Shape{3}));
  EXPECT_THAT(values(split("<keepdims = 0, axis = 1>", x, {})[1]), ElementsAre(2, 5));
}

TEST(SplitToSequence, RefusesPartsThatDoNotAddUp) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{1}, {1, 2}, {3, -1}})
    EXPECT_THROW(split("", x, int64s(bad)), Error);
  EXPECT_THROW(split("", x, Tensor::scalar<int64_t>(0)), Error);
}

TEST(ConcatFromSequence, JoinsAlongAnAxisOrANewOne) {
  const auto join = [](const std::string& attributes, const Tensor& list) {
    return run_text("(seq(float[K]) s) => (float y) { y = ConcatFromSequence <" + attributes + "> (s) }", {list})[0];
  };
  EXPECT_THAT(values(join("axis = 0", rows({row({1}), row({2, 3})}))), ElementsAre(1, 2, 3));
  const Tensor pairs = rows({row({1, 2}), row({3, 4}), row({5, 6})});
  EXPECT_EQ(join("axis = 0, new_axis = 1", pairs).shape(), (Shape{3, 2}));
  const Tensor columns = join("axis = -1, new_axis = 1", pairs);
  EXPECT_EQ(columns.shape(), (Shape{2, 3}));
  EXPECT_THAT(values(columns), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THROW(join("axis = 0, new_axis = 1", rows({row({1}), row({2, 3})})), Error);
  EXPECT_THROW(join("axis = 1", pairs), Error);
  EXPECT_THROW(join("axis = 0", rows({})), Error);
}

TEST(SequenceMap, GivesTheBodyOneElementAtATimeAndTensorsWhole) {
  const std::string text = R"((seq(float[K]) s, float[1] t) => (seq(float[K]) sums, seq(int64[1]) shapes) {
    sums, shapes = SequenceMap (s, t) <body = b (float[K] e, float[1] w) => (float[K] sum, int64[1] shape) {
      sum = Add (e, w)
      shape = Shape (e)
    }>
  })";
  const auto results = run_text(text, {rows({row({1}), row({2, 3})}), row({10})});
  EXPECT_THAT(values(results[0].elements()[1]), ElementsAre(12, 13));
  EXPECT_THAT(integers(results[1].elements()[1]), ElementsAre(2));
  EXPECT_THAT(run_text(text, {rows({}), row({10})})[1].elements(), IsEmpty());
}

TEST(SequenceMap, WantsSequencesOfOneLength) {
  const std::string text = R"((seq(float[K]) s, seq(float[K]) t) => (seq(float[K]) y) {
    y = SequenceMap (s, t) <body = b (float[K] e, float[K] w) => (float[K] sum) { sum = Add (e, w) }>
  })";
  EXPECT_THAT(firsts(run_text(text, {rows({row({1}), row({2})}), rows({row({3}), row({4})})})[0]), ElementsAre(4, 6));
  EXPECT_EQ(error_code(text, {rows({row({1}), row({2})}), rows({row({3})})}), ErrorCode::InvalidData);
}

TEST(Optional, HasItsElementOrNone) {
  const std::string text =
      "(float[N] x) => (bool full, bool none, float[N] y) { o = Optional (x)  e = Optional ()  full = "
      "OptionalHasElement (o)  none = OptionalHasElement (e)  y = OptionalGetElement (o) }";
  const auto results = run_text(text, {row({1, 2})});
  EXPECT_TRUE(results[0].data<bool>()[0]);
  EXPECT_FALSE(results[1].data<bool>()[0]);
  EXPECT_THAT(values(results[2]), ElementsAre(1, 2));
}

TEST(Optional, MayBeAGraphInput) {
  const std::string text = "(optional(float[N]) x) => (bool y) { y = OptionalHasElement (x) }";
  EXPECT_TRUE(run_text(text, {row({1})})[0].data<bool>()[0]);
  EXPECT_FALSE(run_text(text, {Tensor()})[0].data<bool>()[0]);
  EXPECT_EQ(error_code(text, {int64s({1})}), ErrorCode::InvalidData);
}

TEST(Optional, OfOpset18TakesPlainValuesAndLeftOutInputs) {
  for (const int opset : {18, 28}) {
    const auto results = run_text(
        "(float[N] x) => (bool full, bool none, float[N] y) { full = OptionalHasElement (x)  none = "
        "OptionalHasElement ()  y = OptionalGetElement (x) }",
        {row({5})}, opset);
    EXPECT_TRUE(results[0].data<bool>()[0]);
    EXPECT_FALSE(results[1].data<bool>()[0]);
    EXPECT_THAT(values(results[2]), ElementsAre(5));
  }
}

TEST(Optional, WithoutAnElementGivesNone) {
  EXPECT_EQ(error_code("(optional(float[N]) x) => (float[N] y) { y = OptionalGetElement (x) }", {Tensor()}),
            ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
