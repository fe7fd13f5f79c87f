#include "run/recurrence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/model.h"
#include "model/temporary_folder.h"
#include "run/cached_decoder.h"
#include "run/model_inputs.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Recurrence find(const Model& model, const StateFile& file, const std::vector<std::string>& with_data = {}) {
  const std::vector<InputSpec> specs = input_specs(model.graph());
  std::vector<bool> has_data;
  for (const InputSpec& spec : specs) has_data.push_back(std::ranges::find(with_data, spec.name) != with_data.end());
  return find_recurrence(model.graph(), file, 4, specs, has_data);
}

std::string refusal(const Model& model, const StateFile& file) {
  const Error error = error_of<Error>([&] { static_cast<void>(find(model, file)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  return error.what();
}

Model model_of(const std::string& inputs, const std::string& outputs, const std::string& body) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\ng (" + inputs + ") => (" + outputs + ") { " +
                          body + " }");
}

/// x and the state h of a recurrent cell of two layers.
Model cell() { return model_of("float[N, S, 3] x, float[2, N, 3] h", "float[2, N, 3] h_out", "h_out = Add (h, x)"); }

TEST(Recurrence, BeginsACacheEmptyInItsOpenAxis) {
  const Recurrence found = find(test::cached_decoder(),
                                {.feeds = {{"keys", "past_keys"}, {"values", "past_values"}}, .cuts = {{"ids", {1}}}});
  ASSERT_EQ(found.states.size(), 2U);
  EXPECT_EQ(found.states[0].input, 1U);
  EXPECT_EQ(found.states[0].output, "keys");
  EXPECT_EQ(found.states[0].start, StateStart::Empty);
  EXPECT_EQ(found.states[0].first, (Shape{1, 0, 8}));
  EXPECT_THAT(found.data_inputs(3), ElementsAre(0U));
  ASSERT_EQ(found.cuts.size(), 1U);
  EXPECT_EQ(found.cuts[0].length, 1) << "an open axis is cut into single positions";
}

TEST(Recurrence, BeginsAStateOfDeclaredSizeWithZeros) {
  const Recurrence found = find(cell(), {.feeds = {{"h_out", "h"}}, .cuts = {{"x", {1}}}});
  EXPECT_EQ(found.states[0].start, StateStart::Zeros);
  EXPECT_EQ(found.states[0].first, (Shape{2, 1, 3}));
}

TEST(Recurrence, BeginsWithTheDataThatNamesTheInput) {
  const Recurrence found = find(cell(), {.feeds = {{"h_out", "h"}}, .cuts = {{"x", {1}}}}, {"h"});
  EXPECT_EQ(found.states[0].start, StateStart::Data);
  EXPECT_THAT(found.data_inputs(2), ElementsAre(0U, 1U));
}

TEST(Recurrence, DoesWhatTheMapSaysAboutTheBeginning) {
  const StateFile data{.feeds = {{"h_out", "h"}}, .starts = {{"h", StateStart::Data}}};
  EXPECT_EQ(find(cell(), data).states[0].start, StateStart::Data);
  const StateFile zeros{.feeds = {{"h_out", "h"}}, .starts = {{"h", StateStart::Zeros}}};
  EXPECT_EQ(find(cell(), zeros, {"h"}).states[0].start, StateStart::Zeros);
}

TEST(Recurrence, TakesTheLengthOfAStepFromTheModel) {
  const Model chunks = model_of("float[1, 160] x, float[1, 160] h", "float[1, 160] y", "y = Add (x, h)");
  const Recurrence found = find(chunks, {.feeds = {{"y", "h"}}, .cuts = {{"x", {1}}}});
  EXPECT_EQ(found.cuts[0].length, 160);
  EXPECT_EQ(data_specs(found, input_specs(chunks.graph()))[0].shape, (std::vector<int64_t>{1, -1}))
      << "the data is longer than a step";
  EXPECT_THAT(refusal(chunks, {.feeds = {{"y", "h"}}, .cuts = {{"x", {1, 80}}}}), HasSubstr("at 160"));
}

TEST(Recurrence, RefusesNamesThatTheModelDoesNotHave) {
  EXPECT_THAT(refusal(cell(), {.feeds = {{"h_ouz", "h"}}}), HasSubstr("no output 'h_ouz'; its outputs are 'h_out'"));
  EXPECT_THAT(refusal(cell(), {.feeds = {{"h_out", "g"}}}), HasSubstr("no input 'g'; its inputs are 'x', 'h'"));
  EXPECT_THAT(refusal(cell(), {.feeds = {{"h_out", "h"}}, .cuts = {{"y", {1}}}}), HasSubstr("no input 'y'"));
}

TEST(Recurrence, RefusesAnOutputThatDoesNotFitTheInput) {
  const Model other = model_of("float[N, 3] h, float[N, 4] g, int64[N, 3] ids", "float[N, 3] y",
                               "y = Relu (h)\n k = Relu (g)\n j = Abs (ids)");
  EXPECT_THAT(refusal(other, {.feeds = {{"y", "g"}}}), HasSubstr("their shapes are ?x3 and ?x4"));
  EXPECT_THAT(refusal(other, {.feeds = {{"y", "ids"}}}), HasSubstr("their types are float and int64"));
}

TEST(Recurrence, RefusesAnAxisThatCountsNoSteps) {
  const StateFile none{.feeds = {{"h_out", "h"}}, .cuts = {{"x", {3}}}};
  EXPECT_THAT(refusal(cell(), none), HasSubstr("it has no axis 3"));
  const StateFile samples{.feeds = {{"h_out", "h"}}, .cuts = {{"x", {0}}}};
  EXPECT_THAT(refusal(cell(), samples), HasSubstr("axis 0 counts samples"));
}

TEST(Recurrence, RefusesABeginningThatTheSizesDoNotAllow) {
  const StateFile empty{.feeds = {{"h_out", "h"}}, .starts = {{"h", StateStart::Empty}}};
  EXPECT_THAT(refusal(cell(), empty), HasSubstr("cannot be \"empty\""));
  const StateFile zeros{.feeds = {{"keys", "past_keys"}}, .starts = {{"past_keys", StateStart::Zeros}}};
  EXPECT_THAT(refusal(test::cached_decoder(), zeros), HasSubstr("cannot be \"zeros\""));
  const Model open = model_of("float[N, A, B] h", "float[N, A, B] y", "y = Relu (h)");
  EXPECT_THAT(refusal(open, {.feeds = {{"y", "h"}}}), HasSubstr("2 of its axes are open"));
}

TEST(Recurrence, RefusesAFixedBatch) {
  const Model fixed = model_of("float[4, 3] x, float[4, 3] h", "float[4, 3] y", "y = Add (x, h)");
  EXPECT_THAT(refusal(fixed, {.feeds = {{"y", "h"}}}), HasSubstr("fixes a batch of 4"));
}

Model writer(const std::string& ids) {
  return model_of(ids + " ids, float[N, 4] x", "float[N, 4] scores, int64[N, 1] chosen",
                  "scores = Relu (x)\nchosen = ArgMax <axis = 1> (x)");
}

StateFile token(bool appended = false, const std::vector<int64_t>& first = {}) {
  StateFile file{.tokens = {{"scores", "ids", appended}}};
  if (!first.empty()) file.first_tokens["ids"] = first, file.starts["ids"] = StateStart::Tokens;
  return file;
}

TEST(Recurrence, BeginsWithTheTokensOfTheMap) {
  EXPECT_EQ(find(writer("int64[N, S]"), token(true, {1, 7})).states[0].first, (Shape{1, 2}));
  EXPECT_EQ(find(writer("int64[N, 1]"), token(false, {1})).states[0].first, (Shape{1, 1}));
  EXPECT_EQ(find(writer("int64[N]"), token(false, {1})).states[0].first, (Shape{1}));
  EXPECT_EQ(find(writer("int64[N, 2]"), token(true, {0, 0})).states[0].first, (Shape{1, 2})) << "the last two";
  const Recurrence found = find(writer("int64[N, S]"), token(), {"ids"});
  EXPECT_EQ(found.states[0].start, StateStart::Data);
  EXPECT_THAT(found.data_inputs(2), ElementsAre(0U, 1U));
}

TEST(Recurrence, BeginsWithWholeNumbersOfAStateThatIsNoToken) {
  const Model model = model_of("int64[N] length, float[N, 4] x", "int64[N] same, float[N, 4] y",
                               "same = Identity (length)\ny = Relu (x)");
  StateFile file{
      .feeds = {{"same", "length"}}, .starts = {{"length", StateStart::Tokens}}, .first_tokens = {{"length", {1}}}};
  const Recurrence found = find(model, file);
  EXPECT_EQ(found.states[0].way, Recurrence::State::Way::Same);
  EXPECT_THAT(found.states[0].tokens, ElementsAre(1));
  file.feeds = {{"y", "x"}}, file.starts = {{"x", StateStart::Tokens}}, file.first_tokens = {{"x", {1}}};
  EXPECT_THAT(refusal(model, file), HasSubstr("is a whole number, and the input is float"));
}

TEST(Recurrence, RefusesTokensThatDoNotFit) {
  EXPECT_THAT(refusal(writer("int64[N, S]"), token()), HasSubstr("the first tokens of 'ids' are not known"));
  EXPECT_THAT(refusal(writer("float[N, S]"), token(false, {1})), HasSubstr("tokens are int64 or int32"));
  EXPECT_THAT(refusal(writer("int64[N, 1]"), token(false, {1, 2})), HasSubstr("has 2 tokens, which do not fit"));
  EXPECT_THAT(refusal(writer("int64[N, S, T]"), token(true, {1})), HasSubstr("ids are"));
  EXPECT_THAT(refusal(writer("int64[N, S, 2]"), token(false, {1})), HasSubstr("ids are [batch, length]"));
}

}  // namespace
}  // namespace detent
