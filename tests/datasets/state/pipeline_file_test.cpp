#include "datasets/state/pipeline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/state/state_file.h"
#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

const std::string kModels = R"({"models": {"enc": "a.onnx", "dec": "b.onnx"}, )";
const std::string kFeeds = kModels + R"("feeds": {"enc:memory": "dec:memory"}, )";

class PipelineFileText : public ::testing::Test {
 protected:
  PipelineFile read(const std::string& text) { return read_pipeline_file(folder_.write("pair.json", text)); }
  /// Returns the message behind the path, with its hint.
  std::string refusal(const std::string& text) {
    const Error error = error_of<Error>([&] { static_cast<void>(read(text)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    const std::string path = (folder_ / "pair.json").string() + ": ";
    EXPECT_THAT(error.what(), StartsWith(path));
    return std::string(error.what()).substr(path.size()) + (error.hint().empty() ? "" : "; " + error.hint());
  }

  TemporaryFolder folder_;
};

TEST_F(PipelineFileText, NamesFilesAndWhatTheyFeed) {
  const PipelineFile file = read(kModels + R"("feeds": {"enc:memory": ["dec:memory", "dec:again"]}})");
  ASSERT_EQ(file.files.size(), 2U);
  EXPECT_EQ(file.files[0].name, "dec");
  EXPECT_EQ(file.files[0].path, "b.onnx") << "nothing is there: as the current folder has it";
  EXPECT_THAT(file.feeds, ElementsAre(Pair("enc:memory", "dec:memory"), Pair("enc:memory", "dec:again")));
  EXPECT_FALSE(file.steps);
}

TEST_F(PipelineFileText, FindsFilesBesideIt) {
  folder_.write("a.onnx", "a");
  folder_.write("clips.npy", "c");
  const PipelineFile file = read(kFeeds + R"("data": {"enc:audio": "clips.npy", "dec:x": "random:normal"}})");
  EXPECT_EQ(file.files[1].path, folder_ / "a.onnx");
  EXPECT_THAT(file.sources, ElementsAre("dec:x=random:normal", "enc:audio=" + (folder_ / "clips.npy").string()));
}

TEST_F(PipelineFileText, HasTheStatesOfItsLoop) {
  const PipelineFile file = read(kFeeds + R"json("loop": {"model": "dec", "steps": 5, "state": {
      "feeds": {"keys": "past", "argmax(logits)": "ids"}, "cut": {"mask": 1},
      "start": {"ids": 3, "past": "empty"}}}})json");
  EXPECT_EQ(file.steps, 5U);
  EXPECT_EQ(file.looped, "dec");
  const StateFile& state = *file.state;
  EXPECT_THAT(state.feeds, ElementsAre(Pair("dec:keys", "dec:past")));
  EXPECT_EQ(state.tokens[0].output, "dec:logits");
  EXPECT_EQ(state.tokens[0].input, "dec:ids");
  EXPECT_EQ(state.cuts.at("dec:mask").axis, 1);
  EXPECT_EQ(state.starts.at("dec:past"), StateStart::Empty);
  EXPECT_THAT(state.first_tokens.at("dec:ids"), ElementsAre(3));
  EXPECT_THAT(read_state_file(folder_ / "pair.json").feeds, ElementsAre(Pair("dec:keys", "dec:past")))
      << "the file is a --state too";
}

TEST_F(PipelineFileText, WithoutALoopHasNoStates) {
  read(kModels + R"("feeds": {"enc:memory": "dec:memory"}})");
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(read_state_file(folder_ / "pair.json")); }).what(),
              EndsWith("has no \"loop\""));
}

TEST_F(PipelineFileText, IsReadStrictly) {
  EXPECT_THAT(refusal("[]"), StartsWith("an object is expected"));
  EXPECT_THAT(refusal(R"({"model": {}})"), HasSubstr("the key \"model\" is not known; did you mean 'models'?"));
  EXPECT_THAT(refusal("{}"), StartsWith("\"models\" names no file"));
  EXPECT_THAT(refusal(R"({"models": {"enc": "a.onnx"}})"), StartsWith("\"models\" names one file"));
  EXPECT_THAT(refusal(R"({"models": {"a:b": "a.onnx", "dec": "b.onnx"}})"), StartsWith("\"models\": 'a:b' is no name"));
  EXPECT_THAT(refusal(R"({"models": {"a": "a.onnx", "b": "a.onnx"}})"), StartsWith("'a' and 'b' are one file, a.onnx"));
  EXPECT_THAT(refusal(R"({"models": {"a": 1, "b": "a.onnx"}})"), EndsWith("the file of 'a' is not a text: 1"));
  EXPECT_THAT(refusal(kModels + R"("feeds": {}})"), StartsWith("\"feeds\" names no output"));
  EXPECT_THAT(refusal(kModels + R"("feeds": {"memory": "dec:memory"}})"),
              StartsWith("\"feeds\": 'memory' is not FILE:VALUE"));
  EXPECT_EQ(refusal(kModels + R"("feeds": {"encc:memory": "dec:memory"}})"),
            "\"feeds\" names the file 'encc'; \"models\" has 'dec', 'enc'; did you mean 'enc'?");
  EXPECT_THAT(refusal(kModels + R"("feeds": {"dec:keys": "dec:past"}})"), HasSubstr("are of one file; what goes from"));
  EXPECT_THAT(refusal(kModels + R"("feeds": {"enc:a": "dec:x", "enc:b": "dec:x"}})"),
              StartsWith("the input 'dec:x' is fed twice, by 'enc:a' and 'enc:b'"));
  EXPECT_THAT(refusal(kFeeds + R"("data": {"dec:memory": "x.npy"}})"),
              StartsWith("\"data\" names 'dec:memory', which 'enc:memory' feeds"));
  EXPECT_THAT(refusal(kFeeds + R"("loop": {"model": "dec", "steps": 2}})"), EndsWith("\"loop\" has no \"state\""));
  const std::string state = R"("state": {"feeds": {"k": "p"}}}})";
  EXPECT_THAT(refusal(kFeeds + R"("loop": {"model": "d", "steps": 2, )" + state),
              StartsWith("\"loop\" names the file"));
  EXPECT_THAT(refusal(kFeeds + R"("loop": {"model": "dec", "steps": 0, )" + state), EndsWith("from 1 on: 0"));
  EXPECT_THAT(refusal(kFeeds + R"("loop": {"model": "dec", "steps": 2, "state": {"feeds": {"k": "memory"}}}})"),
              EndsWith("the input 'dec:memory' is fed by 'enc:memory' already"));
}

constexpr const char* kLoop = R"json("loop": {"model": "dec", "steps": 5, "state": {
    "feeds": {"keys": "past", "argmax(logits)": "ids"}, "start": {"ids": 3}}})json";

TEST_F(PipelineFileText, SaysHowATextIsDecoded) {
  const PipelineFile file = read(kFeeds + kLoop + R"(, "decode": {"kind": "attention", "end": 2,
      "suppress": [0, [5, 9]], "most": 40, "most-per-second": 6.5, "words": "exact"}})");
  const DecodeRules& rules = file.state->decode.value();
  EXPECT_EQ(rules.end, 2);
  EXPECT_THAT(rules.suppressed, ElementsAre(Pair(0, 0), Pair(5, 9)));
  EXPECT_EQ(rules.most, 40U);
  EXPECT_EQ(rules.most_per_second, 6.5);
  EXPECT_FALSE(rules.plain_words);
}

TEST_F(PipelineFileText, LeavesOutWhatADecoderNeedNotSay) {
  const PipelineFile file = read(kFeeds + kLoop + R"(, "decode": {"kind": "attention", "end": 2}})");
  const DecodeRules& rules = file.state->decode.value();
  EXPECT_TRUE(rules.suppressed.empty() && !rules.most && !rules.most_per_second && rules.plain_words);
  const PipelineFile ctc = read(kFeeds + kLoop + R"(, "decode": {"kind": "ctc"}})");
  EXPECT_FALSE(ctc.state->decode) << "CTC reads the outputs of the end";
  EXPECT_EQ(ctc.decode->kind, DecodeKind::Ctc);
}

constexpr const char* kPredictor = R"json("loop": {"model": "dec", "steps": 5, "state": {
    "feeds": {"h": "past", "argmax(logits)": "ids"}, "start": {"ids": 0}}})json";

TEST_F(PipelineFileText, SaysHowATransducerReadsFrames) {
  folder_.write("tokens.txt", "a");
  const PipelineFile file = read(kFeeds + kPredictor + R"(, "decode": {"kind": "tdt", "blank": 0, "axis": 2,
      "frames": "enc:memory", "lengths": "enc:lengths", "durations": [0, 1, 4], "most-per-frame": 3,
      "vocab": "tokens.txt"}})");
  const DecodeRules& rules = file.state->decode.value();
  EXPECT_EQ(rules.kind, DecodeKind::Tdt);
  EXPECT_EQ(rules.blank, 0);
  EXPECT_EQ(rules.most_per_frame, 3U);
  EXPECT_THAT(rules.durations, ElementsAre(0, 1, 4));
  EXPECT_EQ(rules.vocabulary, (folder_ / "tokens.txt").string());
  EXPECT_EQ(file.frames->output, "enc:memory");
  EXPECT_EQ(file.frames->axis, 2U);
  EXPECT_EQ(file.frames->lengths, "enc:lengths");
  const PipelineFile plain =
      read(kFeeds + kPredictor + R"(, "decode": {"kind": "transducer", "blank": 0, "frames": "enc:memory"}})");
  EXPECT_EQ(plain.frames->axis, 1U);
  EXPECT_FALSE(plain.frames->lengths);
  EXPECT_EQ(plain.decode->most_per_frame, 10U);
}

TEST_F(PipelineFileText, TakesOneModelThatWritesATextWithoutFeeds) {
  const PipelineFile file = read(R"({"models": {"m": "a.onnx"}, "decode": {"kind": "ctc", "vocab": "v.txt"}})");
  EXPECT_EQ(file.files.size(), 1U);
  EXPECT_EQ(file.decode->vocabulary, "v.txt");
}

TEST_F(PipelineFileText, RefusesFramesThatNothingReads) {
  const auto refused = [&](const std::string& decode) {
    return refusal(kFeeds + kPredictor + R"(, "decode": {"kind": )" + decode + "}}");
  };
  EXPECT_THAT(refused(R"("transducer", "frames": "enc:memory")"),
              StartsWith("\"decode\" has no \"blank\", which the kind transducer needs"));
  EXPECT_THAT(refused(R"("transducer", "blank": 0)"), HasSubstr("no \"frames\""));
  EXPECT_THAT(refused(R"("transducer", "blank": 0, "frames": "enc:others")"),
              StartsWith("\"frames\" of \"decode\" names 'enc:others', which feeds no file"));
  EXPECT_THAT(refused(R"("transducer", "blank": 0, "frames": "enc:memory", "lengths": "lens")"),
              StartsWith("\"lengths\" of \"decode\": 'lens' is not FILE:VALUE"));
  EXPECT_THAT(refused(R"("transducer", "blank": 0, "frames": "enc:memory", "durations": [1])"),
              StartsWith("\"decode\" of the kind transducer: the key \"durations\" is not known"));
  EXPECT_THAT(refused(R"("tdt", "blank": 0, "frames": "enc:memory")"), HasSubstr("no \"durations\""));
  EXPECT_THAT(refused(R"("tdt", "blank": 0, "frames": "enc:memory", "durations": [0, 0])"),
              HasSubstr("no number above 0"));
  EXPECT_THAT(refused(R"("tdt", "blank": 0, "frames": "enc:memory", "durations": 4)"), HasSubstr("is a list"));
  EXPECT_THAT(refused(R"("ctc", "most": 4)"), HasSubstr("the key \"most\" is not known"));
}

TEST_F(PipelineFileText, RefusesOtherDecoders) {
  const auto refused = [&](const std::string& decode) {
    return refusal(kFeeds + kLoop + R"(, "decode": )" + decode + "}");
  };
  EXPECT_THAT(refused(R"({"kind": "atention"})"),
              HasSubstr("known are attention, ctc, transducer and tdt; did you mean 'attention'"));
  EXPECT_THAT(refused(R"({"end": 2})"), HasSubstr("no \"kind\""));
  EXPECT_THAT(refused(R"({"kind": "attention"})"), HasSubstr("no \"end\""));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": -1})"), HasSubstr("whole number from 0"));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": 2, "most": 0})"), HasSubstr("whole number from 1"));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": 2, "suppress": [[5, 4]]})"), HasSubstr("whole number from 5"));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": 2, "most-per-second": 0})"), HasSubstr("above 0"));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": 2, "words": "big"})"), HasSubstr("\"plain\" or \"exact\""));
  EXPECT_THAT(refused(R"({"kind": "attention", "end": 2, "beams": 4})"), HasSubstr("beams"));
  EXPECT_THAT(refusal(kFeeds + R"("decode": {"kind": "attention", "end": 2}})"), HasSubstr("needs a \"loop\""));
}

}  // namespace
}  // namespace detent
