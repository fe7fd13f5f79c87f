#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;
using test::values;
using testing::ElementsAre;

// the pool: 5, 6 and the pairs (5, 6), (6, 6)
const std::string kPool = "pool_int64s = [5, 6, 5, 6, 6, 6], ngram_counts = [0, 2], ngram_indexes = [3, 0, 1, 2]";
const std::vector<Tensor> kRow{test::int64s({5, 6, 6, 7, 6})};

TEST(TfIdfVectorizer, CountsTheGramsOfTheWantedLengths) {
  const auto counts = [](const std::string& options) {
    return values(run_one("y = TfIdfVectorizer<mode = \"TF\", " + kPool + ", " + options + ">(a)", kRow));
  };
  EXPECT_THAT(counts("min_gram_length = 1, max_gram_length = 2, max_skip_count = 0"), ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(counts("min_gram_length = 2, max_gram_length = 2, max_skip_count = 0"), ElementsAre(0, 1, 1, 0));
  // one number may be left out: (5, _, 6) and (6, _, 6) count too
  EXPECT_THAT(counts("min_gram_length = 2, max_gram_length = 2, max_skip_count = 1"), ElementsAre(0, 2, 2, 0));
}

TEST(TfIdfVectorizer, WeighsWhatOccursAndRefusesWhatDoesNotFit) {
  const std::string rest = kPool + ", min_gram_length = 1, max_gram_length = 1, max_skip_count = 0";
  EXPECT_THAT(
      values(run_one("y = TfIdfVectorizer<mode = \"IDF\", weights = [2.0, 0.5, 1.0, 1.0], " + rest + ">(a)", kRow)),
      ElementsAre(0.5F, 0, 0, 2));
  EXPECT_THAT(
      values(run_one("y = TfIdfVectorizer<mode = \"TFIDF\", weights = [2.0, 0.5, 1.0, 1.0], " + rest + ">(a)", kRow)),
      ElementsAre(1.5F, 0, 0, 2));
  EXPECT_THROW(run_one("y = TfIdfVectorizer<mode = \"TF\", weights = [2.0], " + rest + ">(a)", kRow), Error);
  EXPECT_THROW(run_one("y = TfIdfVectorizer<mode = \"DF\", " + rest + ">(a)", kRow), Error);
}

}  // namespace
}  // namespace detent
