#include "evaluate/next_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kLogits = {"logits"};

InputSpec ids_called(const std::string& name) { return {name, DataType::Int64, {-1, 4}, 0}; }

Sample tokens(std::vector<int64_t> ids, std::optional<int64_t> behind = {}, std::vector<uint8_t> content = {}) {
  const auto count = static_cast<int64_t>(ids.size());
  return {0, "s", {Tensor::from<int64_t>({1, count}, std::span<const int64_t>(ids))}, {}, {behind}, std::move(content)};
}

TEST(NextTokens, AreTheIdsShiftedByOne) {
  EXPECT_THAT(next_tokens(tokens({5, 6, 7}), 0), ElementsAre(6, 7, kNoToken));
  EXPECT_THAT(next_tokens(tokens({5, 6, 7}, 8), 0), ElementsAre(6, 7, 8));
  EXPECT_THAT(next_tokens(tokens({5}), 0), ElementsAre(kNoToken));
}

TEST(NextTokens, AreNeitherPaddingNorBehindIt) {
  EXPECT_THAT(next_tokens(tokens({5, 6, 0, 0}, 0, {1, 1, 0, 0}), 0), ElementsAre(6, kNoToken, kNoToken, kNoToken));
  EXPECT_THAT(next_tokens(tokens({0, 0, 5, 6}, 7, {0, 0, 1, 1}), 0), ElementsAre(kNoToken, kNoToken, 6, 7));
}

TEST(TokenIds, AreTheIntegersOfNoOtherName) {
  const std::vector<InputSpec> inputs = {ids_called("attention_mask"),
                                         ids_called("input_ids"),
                                         ids_called("position_ids"),
                                         {"pixels", DataType::Float32, {-1, 4}, 0}};
  EXPECT_EQ(find_token_ids(inputs), 1U);
  const std::vector<InputSpec> two = {ids_called("encoder"), ids_called("decoder")};
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(find_token_ids(two)); }).code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(find_token_ids({})); }).what(), HasSubstr("no input"));
}

TEST(NextTokenScore, IsTheCrossEntropyInNats) {
  // Two positions of three tokens. ln(e^1 + e^2 + e^3) = 3.40761; the tokens have 3 and 1.
  const std::vector<Tensor> output = {Tensor::from<float>({1, 2, 3}, {1, 2, 3, 1, 2, 3})};
  const std::vector<std::vector<int64_t>> next = {{2, 0}};
  const TokenScore score = score_next_tokens(next, kLogits, output);
  const double log_sum = std::log(std::exp(1) + std::exp(2) + std::exp(3));
  EXPECT_NEAR(score.nats, 2 * log_sum - 4, 1e-6);  // floats: 2^-23 of each exponential
  EXPECT_EQ(score.tokens, 2U);
  EXPECT_EQ(score.first, 1U);
}

TEST(NextTokenScore, ReadsLogitsOfEitherOrderAndNoBatch) {
  const std::vector<std::vector<int64_t>> next = {{2, 0}};
  const std::vector<Tensor> rows = {Tensor::from<float>({1, 2, 3}, {1, 2, 3, 1, 2, 3})};
  const std::vector<Tensor> columns = {Tensor::from<float>({1, 3, 2}, {1, 1, 2, 2, 3, 3})};
  const std::vector<Tensor> plain = {Tensor::from<float>({2, 3}, {1, 2, 3, 1, 2, 3})};
  EXPECT_EQ(score_next_tokens(next, kLogits, rows).nats, score_next_tokens(next, kLogits, columns).nats);
  EXPECT_EQ(score_next_tokens(next, kLogits, rows).nats, score_next_tokens(next, kLogits, plain).nats);
}

TEST(NextTokenScore, DoesNotOverflow) {
  const std::vector<Tensor> output = {Tensor::from<float>({1, 1, 2}, {500, 400})};
  const std::vector<std::vector<int64_t>> next = {{1}};
  EXPECT_NEAR(score_next_tokens(next, kLogits, output).nats, 100, 1e-9);
}

TEST(NextTokenScore, PrefersTheOutputThatIsCalledLogits) {
  const std::vector<std::string> names = {"last_hidden_state", "lm_logits"};
  const std::vector<Tensor> outputs = {Tensor::from<float>({1, 1, 2}, {9, 0}), Tensor::from<float>({1, 1, 2}, {0, 9})};
  const std::vector<std::vector<int64_t>> next = {{1}};
  EXPECT_EQ(score_next_tokens(next, names, outputs).first, 1U);
}

TEST(NextTokenScore, CountsNothingWhereNothingIsKnown) {
  const std::vector<Tensor> output = {Tensor::from<float>({1, 1, 2}, {1, 0})};
  const std::vector<std::vector<int64_t>> next = {{kNoToken}};
  EXPECT_EQ(score_next_tokens(next, kLogits, output).tokens, 0U);
}

TEST(NextTokenScore, RefusesOtherOutputsAndUnknownTokens) {
  const std::vector<Tensor> classes = {Tensor::from<float>({1, 2}, {1, 0})};
  const std::vector<std::vector<int64_t>> next = {{0, 1, 0}};
  const Error form = error_of<Error>([&] { static_cast<void>(score_next_tokens(next, kLogits, classes)); });
  EXPECT_EQ(form.code(), ErrorCode::InvalidOption);
  const std::vector<Tensor> output = {Tensor::from<float>({1, 1, 2}, {1, 0})};
  const std::vector<std::vector<int64_t>> beyond = {{2}};
  const Error token = error_of<Error>([&] { static_cast<void>(score_next_tokens(beyond, kLogits, output)); });
  EXPECT_EQ(token.code(), ErrorCode::InvalidData);
  EXPECT_THAT(token.what(), HasSubstr("token 2"));
}

}  // namespace
}  // namespace detent
