#include "run/step_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/index.h"
#include "detent/base/error.h"
#include "model/graph_patch.h"
#include "model/temporary_folder.h"
#include "run/cached_decoder.h"
#include "run/open_samples.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kSteps = 6;

/// Two samples of kSteps + 1 tokens.
Tensor tokens() { return Tensor::from<int64_t>({2, kSteps + 1}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7}); }

/// Opens the steps of samples in memory.
class Steps : public ::testing::Test {
 protected:
  SampleRequest options(const std::string& state, std::vector<Tensor> arrays, size_t steps = kSteps) {
    DataOptions data;
    data.arrays = std::move(arrays);
    data.steps = steps;
    data.state = folder_.write("state.json", state);
    return parse_samples(data);
  }
  std::unique_ptr<DataSource> open_decoder(size_t steps = kSteps) {
    return open_samples(options(test::kDecoderState, {tokens()}, steps), test::cached_decoder());
  }

  TemporaryFolder folder_;
};

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

std::vector<Tensor> run(const Model& model, std::span<const Tensor> inputs) {
  return run_once(model.graph(), inputs, model.graph().outputs());
}

/// A model whose state is the sum of all x so far: y = h + x.
Model adder() {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y) { y = Add (h, x) }");
}
constexpr const char* kAdderState = R"({"feeds": {"y": "h"}, "cut": {"x": 1}})";

TEST_F(Steps, FeedWhatTheModelWrote) {
  const auto source = open_samples(options(kAdderState, {Tensor::from<float>({1, 4}, {1, 2, 4, 8})}, 4), adder());
  ASSERT_EQ(source->size(), 4U);
  std::vector<float> x, h;
  for (size_t i = 0; i < 4; ++i) {
    x.push_back(floats(source->read(i).inputs[0])[0]);
    h.push_back(floats(source->read(i).inputs[1])[0]);
  }
  EXPECT_THAT(x, ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(h, ElementsAre(0, 1, 3, 7)) << "zeros, then the sum of the x before";
}

TEST_F(Steps, OverlapByTheirHop) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 11]>\n"
      "g (float[N, 3] x, float[N, 1] h) => (float[N, 1] y) { s = ReduceSum <axes = [1]> (x) y = Add (h, s) }");
  const std::string state = R"({"feeds": {"y": "h"}, "cut": {"x": {"axis": 1, "hop": 2}}})";
  const auto source = open_samples(options(state, {Tensor::from<float>({1, 7}, {1, 2, 3, 4, 5, 6, 7})}, 3), model);
  EXPECT_THAT(floats(source->read(0).inputs[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(floats(source->read(1).inputs[0]), ElementsAre(3, 4, 5));
  EXPECT_THAT(floats(source->read(2).inputs[0]), ElementsAre(5, 6, 7));
  EXPECT_THAT(floats(source->read(2).inputs[1]), ElementsAre(6 + 12));
  const auto longer = open_samples(options(state, {Tensor::from<float>({1, 7}, {1, 2, 3, 4, 5, 6, 7})}, 4), model);
  try {
    static_cast<void>(longer->read(0));
    FAIL() << "four steps need nine positions";
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("--steps 3 at most"));
  }
}

TEST_F(Steps, AreTheSameInAnyOrderAndAgain) {
  const auto in_order = open_decoder(), anyhow = open_decoder();
  std::vector<Sample> steps;
  for (size_t i = 0; i < in_order->size(); ++i) steps.push_back(in_order->read(i));
  for (const size_t i : {4U, 11U, 0U, 7U, 4U, 5U, 6U, 1U, 11U, 2U}) {
    const Sample again = anyhow->read(i);
    ASSERT_EQ(again.name, steps[i].name);
    for (size_t k = 0; k < again.inputs.size(); ++k) {
      if (again.inputs[k].type() != DataType::Float32) continue;
      EXPECT_EQ(floats(again.inputs[k]), floats(steps[i].inputs[k])) << i;
    }
  }
}

// A sum of at most 8 + kSteps products of numbers below 2 in another order: 14 * 4 * 2^-24 in each of four layers.
constexpr float kRounding = 4 * 14 * 4 * 0x1p-24F;

TEST_F(Steps, OfOneTokenGiveWhatAllTokensAtOnceGive) {
  const Model model = test::cached_decoder();
  const auto source = open_decoder();
  const Tensor all = tokens();
  for (size_t sample = 0; sample < 2; ++sample)
    for (int64_t step = 0; step < kSteps; ++step) {
      const std::vector<Tensor> stepped = run(model, source->read(sample * kSteps + as_index(step)).inputs);
      const std::vector<int64_t> ids(all.data<int64_t>().begin() + as_extent(sample) * (kSteps + 1),
                                     all.data<int64_t>().begin() + as_extent(sample) * (kSteps + 1) + step + 1);
      const Tensor nothing(DataType::Float32, {1, 0, 8});
      const std::vector<Tensor> whole =
          run(model, std::vector<Tensor>{Tensor::from<int64_t>({1, step + 1}, ids), nothing, nothing});
      for (int64_t v = 0; v < 12; ++v)
        EXPECT_NEAR(stepped[0].data<float>()[as_index(v)], whole[0].data<float>()[as_index(step * 12 + v)], kRounding);
      EXPECT_EQ(stepped[1].shape(), (Shape{1, step + 1, 8}));
    }
}

TEST_F(Steps, AreNamedAndNumberedInOrder) {
  const auto source = open_decoder();
  EXPECT_EQ(source->size(), 2U * kSteps);
  EXPECT_EQ(source->sample_name(0), "sample 1 step 1");
  EXPECT_EQ(source->sample_name(kSteps + 2), "sample 2 step 3");
  EXPECT_EQ(source->read(kSteps + 2).index, as_index(kSteps + 2));
  EXPECT_THAT(source->read(0).batch_axes, ElementsAre(0, 0, 0));
}

TEST_F(Steps, KnowTheTokenBehindThem) {
  const auto source = open_decoder();
  EXPECT_EQ(source->read(0).next[0], 1);
  EXPECT_EQ(source->read(kSteps - 1).next[0], 2) << "the token behind the last step";
  const auto all = open_decoder(kSteps + 1);
  EXPECT_EQ(all->read(kSteps).next[0], std::nullopt) << "the data ends";
}

TEST_F(Steps, AreTheSameInAnyOrder) {
  const auto source = open_decoder(), other = open_decoder();
  std::vector<std::vector<float>> keys;
  for (size_t i = 0; i < source->size(); ++i) keys.push_back(floats(source->read(i).inputs[1]));
  for (size_t i = source->size(); i-- > 0;) EXPECT_EQ(floats(other->read(i).inputs[1]), keys[i]);
}

TEST_F(Steps, AreTheSameForManyThreads) {
  const auto source = open_decoder(), other = open_decoder();
  std::vector<std::vector<float>> found(source->size());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (size_t i = next++; i < found.size(); i = next++) found[i] = floats(other->read(i).inputs[2]);
      });
  }
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], floats(source->read(i).inputs[2]));
}

TEST_F(Steps, BeginWithTheArraysOfTheData) {
  const auto source = open_samples(
      options(kAdderState, {Tensor::from<float>({2, 2}, {1, 2, 3, 4}), Tensor::from<float>({2, 1}, {10, 20})}, 2),
      adder());
  EXPECT_THAT(floats(source->read(2).inputs[1]), ElementsAre(20));
  EXPECT_THAT(floats(source->read(3).inputs[1]), ElementsAre(23));
}

TEST_F(Steps, MayTakeSeveralPositions) {
  const Model sum = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y) {\n"
      "  s = ReduceMean <axes = [1], keepdims = 1> (x)\n  y = Add (h, s) }");
  const auto source = open_samples(options(R"({"feeds": {"y": "h"}, "cut": {"x": {"axis": 1, "length": 2}}})",
                                           {Tensor::from<float>({1, 4}, {1, 3, 5, 7})}, 2),
                                   sum);
  EXPECT_THAT(floats(source->read(1).inputs[0]), ElementsAre(5, 7));
  EXPECT_THAT(floats(source->read(1).inputs[1]), ElementsAre(2));
}

TEST_F(Steps, MaySeeAllPositionsFromTheStart) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, T] mask, float[N, 1] h) => (float[N, 1] y) {\n"
      "  m = ReduceMean <axes = [1], keepdims = 1> (mask)\n"
      "  p = Mul (m, x)\n  y = Add (h, p) }");
  const Tensor x = Tensor::from<float>({1, 3}, {1, 2, 3});
  const auto source = open_samples(
      options(R"({"feeds": {"y": "h"}, "cut": {"x": 1, "mask": {"axis": 1, "from": "start"}}})", {x, x}, 3), model);
  EXPECT_THAT(floats(source->read(2).inputs[1]), ElementsAre(1, 2, 3));
  EXPECT_THAT(floats(source->read(1).inputs[1]), ElementsAre(1, 2));
}

TEST_F(Steps, MayNotBeLongerThanTheSample) {
  const auto source = open_decoder(kSteps + 2);
  const Error error = error_of<Error>([&] { static_cast<void>(source->read(0)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("'sample 1' has 7 positions on axis 1 of the input 'ids'; 8 steps of 1 need 8"));
  EXPECT_EQ(error.hint(), "--steps 7 at most");
}

TEST_F(Steps, NeedStatesThatFitTheirInputs) {
  const Model grows = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 2] h) => (float[N, M] y) {\n"
      "  y = Concat <axis = 1> (h, x) }");
  const auto source = open_samples(options(kAdderState, {Tensor::from<float>({1, 2}, {1, 2})}, 2), grows);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(source->read(1)); }).what(),
              HasSubstr("after step 1 the output 'y' is float 1x3, which does not fit the input 'h' (?x2)"));
}

TEST_F(Steps, CarryTheErrorsOfTheModelThatFeedsThem) {
  const SampleRequest data = options(kAdderState, {Tensor::from<float>({1, 3}, {1, 1, 1})}, 3);
  Model off = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, S] x, float[N, 1] h) => (float[N, 1] y)\n<float[1] e = {0.5}> {\n"
      "  s = Add (h, x)\n  y = Add (s, e) }");
  EXPECT_THAT(floats(open_samples(data, adder())->read(2).inputs[1]), ElementsAre(2));
  EXPECT_THAT(floats(open_samples(data, off)->read(2).inputs[1]), ElementsAre(3)) << "half of one twice";
}

/// A decoder without a cache, whose token is the number of ids so far: logits of the last position.
Model counter() {
  return parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (int64[N, S] ids) => (float[N, S, 9] logits)
    <int64[1] nine = {9}, int64[1] one = {1}, int64[1] two = {2}, int64[2] axes = {0, 1}, float[2] off_on = {0, 1}>
    {
      shape = Shape (ids)
      length = Slice (shape, one, two)
      zero = Sub (ids, ids)
      counts = Add (zero, length)
      logits = OneHot (counts, nine, off_on)
    })");
}

std::vector<int64_t> ids_of(const Sample& sample, size_t input = 0) {
  const auto data = sample.inputs[input].data<int64_t>();
  return {data.begin(), data.end()};
}

TEST_F(Steps, AppendTheTokenThatScoresHighest) {
  constexpr const char* kState = R"json({"feeds": {"append(argmax(logits))": "ids"}, "start": {"ids": "data"}})json";
  const auto source = open_samples(options(kState, {Tensor::from<int64_t>({1, 2}, {7, 5})}, 3), counter());
  EXPECT_THAT(ids_of(source->read(0)), ElementsAre(7, 5));
  EXPECT_THAT(ids_of(source->read(1)), ElementsAre(7, 5, 2));
  EXPECT_THAT(ids_of(source->read(2)), ElementsAre(7, 5, 2, 3));
}

/// The cached decoder writes its own text.
constexpr const char* kOwnText = R"json({"feeds": {"keys": "past_keys", "values": "past_values",
                                                   "argmax(logits)": "ids"}, "start": {"ids": "data"}})json";

TEST_F(Steps, FeedTheTokenThatScoresHighest) {
  const Model model = test::cached_decoder();
  const auto source = open_samples(options(kOwnText, {Tensor::from<int64_t>({1, 2}, {3, 1})}, 4), model);
  EXPECT_THAT(ids_of(source->read(0)), ElementsAre(3, 1)) << "a prompt";
  for (size_t step = 0; step + 1 < 4; ++step) {
    const Tensor logits = run(model, source->read(step).inputs)[0];
    const auto last = logits.data<float>().last(12);
    EXPECT_THAT(ids_of(source->read(step + 1)), ElementsAre(std::ranges::max_element(last) - last.begin()))
        << "one token at a time";
    EXPECT_EQ(source->read(step + 1).inputs[1].shape(), (Shape{1, as_extent(step) + 2, 8}));
  }
}

/// A model with a part that is the same in all steps: y = h + 2 |c|, whose state is y.
TEST_F(Steps, ComputeOnceWhatIsTheSameInAll) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "g (float[N, 2] c, float[N, 2] h) => (float[N, 2] y) {\n"
      "  a = Abs (c)\n  twice = Add (a, a)\n  y = Add (h, twice) }");
  const auto source =
      open_samples(options(R"({"feeds": {"y": "h"}})", {Tensor::from<float>({2, 2}, {1, -2, -5, 0})}, 3), model);
  EXPECT_THAT(floats(source->read(2).inputs[1]), ElementsAre(4, 8));
  EXPECT_THAT(floats(source->read(5).inputs[1]), ElementsAre(20, 0)) << "another sample's is not used";
  EXPECT_THAT(floats(source->read(1).inputs[1]), ElementsAre(2, 4)) << "a step that is read again";
}

TEST_F(Steps, OfAnotherModelCanTakeTheTokensOfTheFirst) {
  const SampleRequest data = options(kOwnText, {Tensor::from<int64_t>({1, 1}, {3})}, 4);
  const auto source = open_samples(data, test::cached_decoder());
  Model turned = test::cached_decoder();  // its logits have the other sign, so that it never chooses the same token
  GraphPatch patch;
  patch.add_nodes.push_back({"Neg", "turn", {"head"}, {"turned_head"}, {}, ""});
  patch.rewire.push_back({turned.graph().producer(*turned.graph().find_value("logits"))->name, 1, "turned_head"});
  apply_patch(turned, patch);
  const auto own = open_samples(data, turned);
  const auto taught = open_samples(data, turned, {.teacher = source.get()});
  EXPECT_NE(ids_of(own->read(1)), ids_of(source->read(1)));
  for (size_t step = 0; step < 4; ++step) EXPECT_EQ(ids_of(taught->read(step)), ids_of(source->read(step)));
}

}  // namespace
}  // namespace detent
