#include "evaluate/ctc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kCtcLogits = {"logits"};
const std::vector<std::string> kCtcTokens = {"<pad>", "a", "b", "|", "<unk>"};

/// Logits [1, T, V] whose highest class at each position is given.
Tensor logits_of(const std::vector<int64_t>& classes, int64_t count) {
  std::vector<float> values(classes.size() * static_cast<size_t>(count), -1.0F);
  for (size_t t = 0; t < classes.size(); ++t)
    values[t * static_cast<size_t>(count) + static_cast<size_t>(classes[t])] = 2;
  return Tensor::from<float>({1, static_cast<int64_t>(classes.size()), count}, std::span<const float>(values));
}

std::string text_in(const std::vector<int64_t>& classes, std::vector<std::string> tokens = kCtcTokens,
                    int64_t more = 0) {
  const auto count = static_cast<int64_t>(tokens.size()) + more;
  return CtcVocabulary(std::move(tokens), "v.txt").read(1, kCtcLogits, std::vector{logits_of(classes, count)}).front();
}

TEST(CtcText, CountsARowOfEqualTokensOnceAndLeavesOutBlanks) {
  EXPECT_EQ(text_in({0, 1, 1, 0, 1, 2, 2, 0}), "aab");
  EXPECT_EQ(text_in({0, 0, 0}), "");
}

TEST(CtcText, GivesTheTokensOfATextToo) {
  const CtcVocabulary vocabulary(kCtcTokens, "v.txt");
  const std::vector<Tensor> outputs = {logits_of({0, 1, 1, 0, 3, 2}, 5)};
  const std::vector<std::vector<int64_t>> tokens = vocabulary.read_tokens(1, kCtcLogits, outputs);
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_THAT(tokens.front(), ElementsAre(1, 3, 2));
  EXPECT_EQ(vocabulary.text_of(tokens.front()), "a b");
  EXPECT_EQ(vocabulary.text_of({}), "");
}

TEST(CtcText, KnowsTheMarksBetweenWords) {
  EXPECT_EQ(text_in({1, 3, 2}), "a b");
  EXPECT_EQ(text_in({1, 2, 1, 3}, {"<blk>", "\xE2\x96\x81\x61", "b", "<space>"}), " ab a ");
  EXPECT_EQ(text_in({1, 4, 2}), "ab") << "other tokens in <> stand for no text";
}

TEST(CtcText, FindsTheBlankByItsNameAndElseBehindTheTokens) {
  EXPECT_EQ(text_in({0, 1, 0}, {"a", "<blank>"}), "aa");
  EXPECT_EQ(text_in({0, 0, 2, 0, 1}, {"a", "b"}, 1), "aab");
}

TEST(CtcText, ReadsScoresOfEitherOrderAndNoBatch) {
  const CtcVocabulary vocabulary({"<pad>", "a", "b"}, "v.txt");
  const std::vector<Tensor> rows = {Tensor::from<float>({1, 2, 3}, {0, 9, 0, 0, 0, 9})};
  const std::vector<Tensor> columns = {Tensor::from<float>({1, 3, 2}, {0, 0, 9, 0, 0, 9})};
  const std::vector<Tensor> plain = {Tensor::from<float>({2, 3}, {0, 9, 0, 0, 0, 9})};
  for (const auto& outputs : {rows, columns, plain})
    EXPECT_THAT(vocabulary.read(1, kCtcLogits, outputs), ElementsAre("ab"));
  const std::vector<Tensor> two = {Tensor::from<float>({2, 1, 3}, {0, 9, 0, 0, 0, 9})};
  EXPECT_THAT(vocabulary.read(2, kCtcLogits, two), ElementsAre("a", "b"));
}

TEST(CtcText, EndsWhereAnOutputOfLengthsSaysSo) {
  const CtcVocabulary vocabulary({"<pad>", "a", "b"}, "v.txt");
  const std::vector<std::string> names = {"log_probs", "log_probs_len"};
  const std::vector<Tensor> outputs = {Tensor::from<float>({1, 2, 3}, {0, 9, 0, 0, 0, 9}),
                                       Tensor::from<int64_t>({1}, {1})};
  EXPECT_THAT(vocabulary.read(1, names, outputs), ElementsAre("a"));
}

TEST(CtcText, RefusesOutputsOfOtherClasses) {
  const CtcVocabulary vocabulary({"a", "b"}, "v.txt");
  const std::vector<Tensor> outputs = {Tensor::from<float>({1, 1, 2}, {0, 9})};
  const Error error = error_of<Error>([&] { static_cast<void>(vocabulary.read(1, kCtcLogits, outputs)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("the 3 classes of v.txt (with the blank, which it does not name"));
  EXPECT_THAT(error.what(), HasSubstr("'logits'"));
}

}  // namespace
}  // namespace detent
