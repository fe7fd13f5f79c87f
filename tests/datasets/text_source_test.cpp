#include "datasets/text_source.h"

#include <gmock/gmock.h>

#include <span>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

InputSpec ids_input(int64_t length) { return {"ids", DataType::Int64, {-1, length}, 0}; }

std::vector<int64_t> ids_of(const Sample& sample) {
  const auto ids = sample.inputs.front().data<int64_t>();
  return {ids.begin(), ids.end()};
}

TEST(TextSource, CutsTextToWindowsAndKnowsTheTokenBehind) {
  const TemporaryFolder folder;
  const std::string src = "text:" + folder.write("t.txt", "abcdefgh").string() + ",vocab=bytes";
  const auto source = open_data(data({src}), std::vector<InputSpec>{ids_input(3)});
  ASSERT_EQ(source->size(), 2U) << "the rest at the end is no sample";
  EXPECT_THAT(ids_of(source->read(1)), ElementsAre('d', 'e', 'f'));
  EXPECT_THAT(source->read(1).next.front(), Optional(int64_t{'g'}));
  EXPECT_EQ(source->sample_name(1), "t.txt[1]");
}

TEST(TextSource, ReadsARecordALine) {
  const TemporaryFolder folder;
  const std::string src =
      "text:" + folder.write("t.jsonl", "{\"text\": \"ab\"}\n\n[7, 8, 9]\n\"c\"").string() + ",vocab=bytes";
  const auto each = open_data(data({src}), std::vector<InputSpec>{ids_input(-1)});
  ASSERT_EQ(each->size(), 3U);
  EXPECT_THAT(ids_of(each->read(1)), ElementsAre(7, 8, 9));
  EXPECT_FALSE(each->read(1).next.front().has_value());
  const auto stream = open_data(data({src}), std::vector<InputSpec>{ids_input(8)});
  ASSERT_EQ(stream->size(), 1U);
  EXPECT_THAT(ids_of(stream->read(0)), ElementsAre('a', 'b', '\n', 7, 8, 9, '\n', 'c'));
}

TEST(TextSource, NamesTheLineThatIsNoRecord) {
  const TemporaryFolder folder;
  for (const char* line : {"{\"text\": ", "7", "[1, -1]", "[0.5]", "{\"body\": \"a\"}", "[99999999999]"}) {
    const std::string src = "text:" + folder.write("t.jsonl", "\"a\"\n" + std::string(line)).string() + ",vocab=bytes";
    const Error error =
        error_of<Error>([&] { static_cast<void>(open_data(data({src}), std::vector<InputSpec>{ids_input(-1)})); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidData) << line;
    EXPECT_THAT(error.what(), HasSubstr("line 2")) << line;
  }
}

TEST(TextSource, JoinsTwoTextsOfARecordAndRefusesTwoLists) {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& line) {
    return open_data(data({"text:" + folder.write("t.jsonl", line).string() + ",vocab=bytes,field=q+r"}),
                     std::vector<InputSpec>{ids_input(-1)});
  };
  EXPECT_THAT(ids_of(open(R"({"q": "ab", "r": "c"})")->read(0)), ElementsAre('a', 'b', 'c'));
  const Error error = error_of<Error>([&] { static_cast<void>(open(R"({"q": [1, 2], "r": [2]})")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("no pair of texts"));
}

// A tokenizer that knows words, with tokens around them: <s> A </s>, and <s> A </s> B </s>.
std::string words_tokenizer(const std::string& more = {}) {
  return R"({"added_tokens": [{"id": 0, "content": "<pad>", "special": true}],
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "model": {"type": "WordLevel", "unk_token": "<unk>",
      "vocab": {"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3, "a": 4, "b": 5, "c": 6}},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "</s>", "type_id": 0}}],
      "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
               {"SpecialToken": {"id": "</s>", "type_id": 1}}],
      "special_tokens": {"<s>": {"ids": [2]}, "</s>": {"ids": [3]}}})" +
         more + "}";
}

std::vector<InputSpec> encoder_inputs(int64_t length) {
  return {{"input_ids", DataType::Int64, {-1, length}, 0},
          {"attention_mask", DataType::Float32, {-1, length}, 0},
          {"token_type_ids", DataType::Int64, {-1, length}, 0},
          {"position_ids", DataType::Int32, {-1, length}, 0}};
}

/// Returns the numbers of an input of a sample.
std::vector<int64_t> numbers_of(const Sample& sample, size_t input) {
  const Tensor tensor = cast(sample.inputs[input], DataType::Int64);
  return {tensor.data<int64_t>().begin(), tensor.data<int64_t>().end()};
}

/// A text and a tokenizer in a folder.
struct TokenizedText {
  TemporaryFolder folder;
  std::string src;
  explicit TokenizedText(const std::string& text, const std::string& more = {}, const std::string& keys = {},
                         const std::string& name = "t.jsonl") {
    src = "text:" + folder.write(name, text).string() +
          ",vocab=" + folder.write("tokenizer.json", words_tokenizer(more)).string() + keys;
  }
  [[nodiscard]] std::unique_ptr<DataSource> open(const std::vector<InputSpec>& inputs) const {
    return open_data(data({src}), inputs);
  }
};

TEST(TextSource, FeedsMasksTypesAndPositionsByTheirNames) {
  const TokenizedText text("\"a b\"\n\"c\"");
  const auto whole = text.open(encoder_inputs(-1));
  ASSERT_EQ(whole->size(), 2U);
  EXPECT_THAT(numbers_of(whole->read(0), 0), ElementsAre(2, 4, 5, 3));
  EXPECT_THAT(numbers_of(whole->read(1), 1), ElementsAre(1, 1, 1));
  const auto padded = text.open(encoder_inputs(6));
  const Sample sample = padded->read(1);
  EXPECT_EQ(sample.inputs[1].type(), DataType::Float32);
  EXPECT_THAT(numbers_of(sample, 0), ElementsAre(2, 6, 3, 0, 0, 0));
  EXPECT_THAT(numbers_of(sample, 1), ElementsAre(1, 1, 1, 0, 0, 0));
  EXPECT_THAT(numbers_of(sample, 2), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(numbers_of(sample, 3), ElementsAre(0, 1, 2, 0, 0, 0));
  const auto one = text.open({{"attention_mask", DataType::Int64, {-1, 6}, 0}});
  EXPECT_THAT(numbers_of(one->read(1), 0), ElementsAre(1, 1, 1, 0, 0, 0)) << "also where each input has its source";
}

TEST(TextSource, CutsRecordsInsideTheirFrame) {
  const TokenizedText text("\"a b c a b c\"");
  EXPECT_THAT(numbers_of(text.open(encoder_inputs(4))->read(0), 0), ElementsAre(2, 4, 5, 3));
  const TokenizedText limited("\"a b c a b c\"", R"(, "truncation": {"max_length": 5})");
  EXPECT_THAT(numbers_of(limited.open(encoder_inputs(-1))->read(0), 0), ElementsAre(2, 4, 5, 6, 3));
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(text.open(encoder_inputs(2))->read(0)); }).code(),
            ErrorCode::InvalidOption)
      << "no room for a text";
}

TEST(TextSource, FramesEachWindowOfAPlainText) {
  const TokenizedText text("a b c a b c b", {}, {}, "t.txt");
  const auto source = text.open(encoder_inputs(5));
  ASSERT_EQ(source->size(), 2U);
  EXPECT_THAT(numbers_of(source->read(1), 0), ElementsAre(2, 4, 5, 6, 3));
  EXPECT_FALSE(source->read(0).next.front().has_value()) << "the end stands behind the text";
}

TEST(TextSource, JoinsTwoFieldsToOneSample) {
  const TokenizedText text("{\"q\": \"a b\", \"p\": \"c a b\"}", {}, ",field=q+p");
  const Sample sample = text.open(encoder_inputs(-1))->read(0);
  EXPECT_THAT(numbers_of(sample, 0), ElementsAre(2, 4, 5, 3, 6, 4, 5, 3));
  EXPECT_THAT(numbers_of(sample, 2), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(numbers_of(text.open(encoder_inputs(6))->read(0), 0), ElementsAre(2, 4, 3, 6, 4, 3))
      << "the longer of the two is cut";
}

TEST(TextSource, TakesListsByTheNamesOfInputs) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("t.jsonl", "{\"input_ids\": [7, 8, 0], \"attention_mask\": [1, 1, 0], \"label\": [1]}");
  const std::vector<InputSpec> inputs = encoder_inputs(5);
  const Sample sample = open_data(data({"text:" + file.string()}), std::span(inputs).first(3))->read(0);
  EXPECT_THAT(numbers_of(sample, 0), ElementsAre(7, 8, 0, 0, 0));
  EXPECT_THAT(numbers_of(sample, 1), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(numbers_of(sample, 2), ElementsAre(0, 0, 0, 0, 0));
  const auto uneven = folder.write("u.jsonl", "{\"input_ids\": [7, 8], \"attention_mask\": [1]}");
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(open_data(data({"text:" + uneven.string()}), inputs)); }).what(),
              HasSubstr("1 numbers under 'attention_mask' and 2 token ids"));
}

TEST(TextSource, RefusesInputsThatItCannotTellApart) {
  const TokenizedText text("\"a\"");
  const std::vector<InputSpec> two{{"left", DataType::Int64, {-1, -1}, 0}, {"right", DataType::Int64, {-1, -1}, 0}};
  const Error error = error_of<Error>([&] { static_cast<void>(text.open(two)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("left, right"));
  const std::vector<InputSpec> floats{{"input_ids", DataType::Int64, {-1, -1}, 0}, float_input("image", {-1, 3, 8, 8})};
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(text.open(floats)); }).what(), HasSubstr("'image'"));
}

TEST(TokenArrays, LongerThanTheInputAreCutToWindows) {
  const TemporaryFolder folder;
  const auto rows = folder.write("rows.npy", npy_bytes<int64_t>({2, 5}, {0, 1, 2, 3, 4, 10, 11, 12, 13, 14}));
  const auto source = open_data(data({rows.string()}), std::vector<InputSpec>{ids_input(2)});
  ASSERT_EQ(source->size(), 4U);
  EXPECT_THAT(ids_of(source->read(3)), ElementsAre(12, 13));
  EXPECT_THAT(source->read(3).next.front(), Optional(14));
  const auto stream = folder.write("stream.npy", npy_bytes<int64_t>({6}, {0, 1, 2, 3, 4, 5}));
  const auto windows = open_data(data({stream.string()}), std::vector<InputSpec>{ids_input(2)});
  ASSERT_EQ(windows->size(), 3U);
  EXPECT_THAT(ids_of(windows->read(2)), ElementsAre(4, 5));
  EXPECT_FALSE(windows->read(2).next.front().has_value());
}

TEST(TokenArrays, OfFloatsAndShorterOnesAreRefused) {
  const TemporaryFolder folder;
  const auto rows = folder.write("rows.npy", npy_bytes<int64_t>({2, 5}, std::vector<int64_t>(10)));
  for (const InputSpec& input : {float_input("x", {-1, 2}), ids_input(6)})
    EXPECT_EQ(error_of<Error>([&] {
                static_cast<void>(open_data(data({rows.string()}), std::vector<InputSpec>{input}));
              }).code(),
              ErrorCode::InvalidData);
}

}  // namespace
}  // namespace detent
