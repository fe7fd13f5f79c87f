#include "datasets/text_source.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"
#include "datasets/vocabulary.h"

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

std::vector<int32_t> encoded(const std::string& vocabulary, const std::string& text) {
  const TemporaryFolder folder;
  return Vocabulary::read(folder.write("vocab.txt", vocabulary)).encode(text, "t.txt");
}

Error vocabulary_error(const std::string& vocabulary, const std::string& text = {}) {
  return error_of<Error>([&] { static_cast<void>(encoded(vocabulary, text)); });
}

TEST(Vocabulary, OfBytesIsTheBytes) {
  EXPECT_THAT(Vocabulary::of_bytes().encode("a\xff\n", "t"), ElementsAre(97, 255, 10));
  EXPECT_EQ(Vocabulary::of_bytes().size(), 256U);
}

TEST(Vocabulary, OfOneQuotedLineCountsItsCharacters) {
  EXPECT_THAT(encoded("b\"\\n !a\"", "a !\n"), ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(encoded("\"\\x41\\\\\xC3\xA9\"\n", "\xC3\xA9\\A"), ElementsAre(2, 1, 0))
      << "a character of two bytes is one token";
  EXPECT_THAT(encoded("b'\xC3\xA9'", "\xC3\xA9"), ElementsAre(0, 1)) << "of bytes it is two";
}

TEST(Vocabulary, OfLinesTakesTheLongestTokenThatFits) {
  EXPECT_THAT(encoded("a\r\nab\r\nabc\r\n\\n\r\n", "abcab\na"), ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(encoded("a\n\nb\n", "ab"), ElementsAre(0, 2)) << "an empty line keeps its id";
  EXPECT_THAT(encoded("<unk>\na\n", "ax\xC3\xA9"), ElementsAre(1, 0, 0));
}

TEST(Vocabulary, RefusesWhatIsNone) {
  EXPECT_THAT(vocabulary_error("a\nb\na\n").what(), HasSubstr("tokens 0 and 2 are the same"));
  EXPECT_THAT(vocabulary_error("").what(), HasSubstr("no token"));
  EXPECT_THAT(vocabulary_error("\"\\q\"").what(), HasSubstr("escape"));
  EXPECT_THAT(vocabulary_error("a\n" + std::string(257, 'x')).what(), HasSubstr("257 bytes"));
  EXPECT_THAT(vocabulary_error("play\n##ing\n").what(), HasSubstr("'##ing'"));
  EXPECT_THAT(vocabulary_error("a\n", "a\n").what(), HasSubstr("line 1"));
  EXPECT_THAT(encoded("#\n##\n", "###"), ElementsAre(1, 0)) << "the sign alone is a token as others are";
}

TEST(TextSpec, EndsAPathAtItsKeysOnly) {
  const TextSpec spec = parse_text_spec("text:a,b.txt,vocab=v.txt,length=12,field=body");
  EXPECT_EQ(spec.file, "a,b.txt");
  EXPECT_EQ(spec.vocabulary, "v.txt");
  EXPECT_EQ(spec.length, 12);
  EXPECT_EQ(spec.field, "body");
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(parse_text_spec("text:,vocab=bytes")); }).code(), ErrorCode::Usage);
  EXPECT_EQ(error_of<Error>([] { static_cast<void>(parse_text_spec("text:a,length=0")); }).code(), ErrorCode::Usage);
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
