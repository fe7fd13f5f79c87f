#include "datasets/token_list.h"

#include <gmock/gmock.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> tokens_in(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  return read_token_list(folder.write(name, text));
}

Error tokens_error(const std::string& name, const std::string& text) {
  return error_of<Error>([&] { static_cast<void>(tokens_in(name, text)); });
}

TEST(TokenList, HasATokenALine) {
  EXPECT_THAT(tokens_in("v.txt", "<blank>\na\r\n \n\n7\n"), ElementsAre("<blank>", "a", " ", "", "7"));
}

TEST(TokenList, MayNameTheClassBehindEachToken) {
  EXPECT_THAT(tokens_in("tokens.txt", "b 1\n<blk> 0\n7\t2\n"), ElementsAre("<blk>", "b", "7"));
  EXPECT_THAT(tokens_in("tokens.txt", "b 1\nc\n"), ElementsAre("b 1", "c")) << "not in every line";
  EXPECT_THAT(tokens_error("tokens.txt", "a 0\nb 2\n").what(), HasSubstr("token 'b' has 2"));
  EXPECT_THAT(tokens_error("tokens.txt", "a 0\nb 0\n").what(), HasSubstr("each once"));
}

TEST(TokenList, MayBeAJsonObject) {
  EXPECT_THAT(tokens_in("vocab.json", R"({"a": 1, "<pad>": 0, "|": 2})"), ElementsAre("<pad>", "a", "|"));
  EXPECT_THAT(tokens_error("vocab.json", R"({"a": "1"})").what(), HasSubstr("no whole number"));
  EXPECT_EQ(tokens_error("vocab.json", "[]").code(), ErrorCode::InvalidOption);
}

TEST(TokenList, HoldsAToken) { EXPECT_THAT(tokens_error("v.txt", "").what(), HasSubstr("no token")); }

TEST(Transcripts, AreTheColumnsFileAndText) {
  const TemporaryFolder folder;
  const auto texts = read_transcripts(folder.write("t.csv", "text,speaker,file\n\"yes, I do\",7,a.wav\n,8,b.wav\n"));
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].file, "a.wav");
  EXPECT_EQ(texts[0].text, "yes, I do");
  EXPECT_EQ(texts[1].text, "");
  const auto refusal = [&](const std::string& text) {
    return error_of<Error>([&] { static_cast<void>(read_transcripts(folder.write("t.csv", text))); });
  };
  EXPECT_THAT(refusal("file,label\na,1\n").what(), HasSubstr("column 'text'"));
  EXPECT_THAT(refusal("file,text\n").what(), HasSubstr("no transcripts"));
}

}  // namespace
}  // namespace detent
