#include "datasets/state/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

class StateFileText : public ::testing::Test {
 protected:
  StateFile read(const std::string& text) { return read_state_file(folder_.write("state.json", text)); }
  /// Returns the message behind the path.
  std::string refusal(const std::string& text) {
    const Error error = error_of<Error>([&] { static_cast<void>(read(text)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    const std::string path = (folder_ / "state.json").string() + ": ";
    EXPECT_THAT(error.what(), StartsWith(path));
    return std::string(error.what()).substr(path.size());
  }

  TemporaryFolder folder_;
};

TEST_F(StateFileText, NamesTheInputThatEachOutputFeeds) {
  const StateFile file = read(R"({"feeds": {"keys": "past_keys", "h_out": "h"}})");
  EXPECT_THAT(file.feeds, ElementsAre(Pair("h_out", "h"), Pair("keys", "past_keys")));
  EXPECT_TRUE(file.cuts.empty());
  EXPECT_TRUE(file.starts.empty());
}

TEST_F(StateFileText, SaysWhereSamplesAreCut) {
  const StateFile file = read(R"({"feeds": {"k": "p"}, "cut": {"ids": 1, "frames": {"axis": 2, "length": 160},
                                  "mask": {"axis": 1, "from": "start"}}})");
  EXPECT_EQ(file.cuts.at("ids").axis, 1);
  EXPECT_EQ(file.cuts.at("ids").length, std::nullopt);
  EXPECT_FALSE(file.cuts.at("ids").from_start);
  EXPECT_EQ(file.cuts.at("frames").axis, 2);
  EXPECT_EQ(file.cuts.at("frames").length, 160);
  EXPECT_TRUE(file.cuts.at("mask").from_start);
}

TEST_F(StateFileText, SaysHowAStateBegins) {
  const StateFile file =
      read(R"({"feeds": {"a": "x", "b": "y", "c": "z"}, "start": {"x": "zeros", "y": "empty", "z": "data"}})");
  EXPECT_THAT(file.starts,
              ElementsAre(Pair("x", StateStart::Zeros), Pair("y", StateStart::Empty), Pair("z", StateStart::Data)));
}

TEST_F(StateFileText, FeedsTheTokenThatScoresHighest) {
  const StateFile file =
      read(R"json({"feeds": {"keys": "past", "argmax(logits)": "ids", "append(argmax(scores))": "all"},
                   "start": {"ids": 1, "all": [1, 7]}})json");
  EXPECT_THAT(file.feeds, ElementsAre(Pair("keys", "past")));
  ASSERT_EQ(file.tokens.size(), 2U);
  EXPECT_EQ(file.tokens[0].output, "scores");
  EXPECT_EQ(file.tokens[0].input, "all");
  EXPECT_TRUE(file.tokens[0].appended);
  EXPECT_EQ(file.tokens[1].output, "logits");
  EXPECT_FALSE(file.tokens[1].appended);
  EXPECT_THAT(file.first_tokens, ElementsAre(Pair("all", ElementsAre(1, 7)), Pair("ids", ElementsAre(1))));
  EXPECT_EQ(file.starts.at("ids"), StateStart::Tokens);
}

TEST_F(StateFileText, FeedsAnInputOnce) {
  EXPECT_EQ(refusal(R"({"feeds": {"a": "x", "b": "x"}})"), "the input 'x' is fed twice, by 'a' and 'b'");
  EXPECT_EQ(refusal(R"({"feeds": {"a": "x", "a": "y"}})"), "\"a\" is given twice");
  EXPECT_EQ(refusal(R"({"feeds": {"a": "x"}, "cut": {"x": 1}})"),
            "the input 'x' is fed by an output, and cannot be cut too");
}

TEST_F(StateFileText, IsReadStrictly) {
  EXPECT_THAT(refusal("[]"), StartsWith("an object is expected"));
  EXPECT_THAT(refusal("{"), HasSubstr("ends in the middle, after 1 bytes"));
  EXPECT_THAT(refusal("{}"), StartsWith("\"feeds\" names no output"));
  EXPECT_EQ(refusal(R"({"feed": {"a": "x"}})"), "the key \"feed\" is not known");
  EXPECT_EQ(refusal(R"({"feeds": {"a": 3}})"), "the input that 'a' feeds is not a text: 3");
  EXPECT_THAT(refusal(R"({"feeds": ["a"]})"), StartsWith("\"feeds\" is an object"));
  const std::string feeds = R"({"feeds": {"a": "x"}, )";
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": -1}})"), EndsWith("is not a whole number from 0 on: -1"));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": 1.5}})"), EndsWith("is not a whole number from 0 on: 1.5"));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": "1"}})"), StartsWith("\"cut\" of 'ids' is an axis"));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": {"axis": 1, "length": 0}}})"),
              AllOf(HasSubstr("\"length\""), EndsWith("from 1 on: 0")));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": {"axis": 1, "size": 2}}})"), HasSubstr("\"size\" is not known"));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": {"axis": 1, "from": "end"}}})"), HasSubstr("only be \"start\""));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": {"axis": 1, "hop": 0}}})"), HasSubstr("from 1 on: 0"));
  EXPECT_THAT(refusal(feeds + R"("cut": {"ids": {"axis": 1, "from": "start", "hop": 2}}})"),
              HasSubstr("\"hop\" does not go with \"from\""));
  EXPECT_THAT(refusal(feeds + R"("start": {"x": "ones"}})"), EndsWith("not \"ones\""));
  EXPECT_EQ(refusal(feeds + R"("start": {"y": "zeros"}})"), "\"start\" names 'y', which no output feeds");
  EXPECT_THAT(refusal(feeds + R"("start": {"x": 1.5}})"), HasSubstr("is not a whole number"));
  EXPECT_THAT(refusal(R"json({"feeds": {"append(logits)": "ids"}})json"),
              EndsWith("only a token is appended: append(argmax(OUTPUT))"));
  const std::string token = R"json({"feeds": {"argmax(a)": "ids"}, )json";
  EXPECT_THAT(refusal(token + R"("start": {"ids": "zeros"}})"), HasSubstr("a token such as 1"));
  EXPECT_THAT(refusal(token + R"("start": {"ids": []}})"), EndsWith("has no token"));
  EXPECT_THAT(refusal(token + R"("start": {"ids": [-1]}})"), EndsWith("from 0 on: -1"));
}

TEST_F(StateFileText, MustBeAFile) {
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(read_state_file(folder_ / "none.json")); }).what(),
              HasSubstr("none.json: cannot be opened"));
}

}  // namespace
}  // namespace detent
