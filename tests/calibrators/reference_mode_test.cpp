#include "calibrators/reference_mode.h"

#include <gtest/gtest.h>

#include <vector>

#include "calibrators/reference_data.h"
#include "detent/base/error.h"

namespace detent {
namespace {

using reference_data::Case;

/// Their amax by our implementation of their rule; `method` as in reference.json.
float amax_by(const std::string& method, const Case& reference) {
  const std::vector<int64_t> counts = reference.counts();
  const std::vector<float> edges = reference.edges();
  const ReferenceHistogram histogram{counts, edges};
  const std::string percentile = "percentile_percentile";
  if (method.starts_with(percentile))
    return reference_percentile_amax(histogram, std::stod(method.substr(percentile.size())));
  if (method.starts_with("entropy"))
    return reference_entropy_amax(histogram, reference.is_unsigned ? 256 : 128, method == "entropy" ? 1 : 8);
  return reference_mse_amax(histogram, reference.is_unsigned ? 255 : 127, method == "mse" ? 1 : 4);
}

TEST(SharedReferenceCalibrators, AgreeBitForBitOnTheirHistograms) {
  if (!std::filesystem::exists(reference_data::folder() / "reference.json"))
    GTEST_SKIP() << "missing " << reference_data::folder() / "reference.json";
  size_t compared = 0;
  for (const Case& reference : reference_data::read_cases())
    for (const auto& [method, amax] : reference.amax) {
      EXPECT_EQ(amax_by(method, reference), static_cast<float>(amax)) << reference.histogram << " " << method;
      ++compared;
    }
  EXPECT_EQ(compared, 176u);
}

std::vector<float> edges_for(size_t bins) {
  std::vector<float> edges;
  for (size_t i = 0; i <= bins; ++i) edges.push_back(static_cast<float>(i));
  return edges;
}

TEST(ReferenceEntropy, TakesTheLastOfEqualMinima) {
  // Counts of 1 up to bin 100 and nothing beyond: no window cuts anything off, and every bucket holds equal counts, so
  // that D is 0 for each of the candidates 128 .. 300.
  std::vector<int64_t> counts(300);
  for (size_t i = 0; i < 100; ++i) counts[i] = 1;
  const std::vector<float> edges = edges_for(300);
  EXPECT_EQ(reference_entropy_amax({counts, edges}, 128, 1), 300.0f);
  EXPECT_EQ(reference_entropy_amax({counts, edges}, 128, 8), 296.0f);
}

TEST(ReferenceEntropy, TakesTheOnlyMinimumWhereverItLies) {
  // Bins 200 and 300 make every window that ends on an empty bin infinite, bin 300 every one short of it costly.
  std::vector<int64_t> counts(301);
  for (size_t i = 0; i < 140; ++i) counts[i] = 1;
  counts[300] = 1000;
  EXPECT_EQ(reference_entropy_amax({counts, edges_for(301)}, 128, 1), 301.0f);
}

TEST(ReferenceEntropy, LeavesTheHistogramAlone) {
  std::vector<int64_t> counts(200, 3);
  counts[0] = 1000;
  const std::vector<int64_t> before = counts;
  const std::vector<float> edges = edges_for(200);
  EXPECT_EQ(reference_entropy_amax({counts, edges}, 128, 1), reference_entropy_amax({counts, edges}, 128, 1));
  EXPECT_EQ(counts, before);
}

TEST(ReferenceMse, TakesTheFirstOfEqualMinima) {
  // Everything in bin 0, whose centre .5 rounds to 0 on every grid of step 1.01 or more: all errors are equal.
  std::vector<int64_t> counts(300);
  counts[0] = 7;
  EXPECT_EQ(reference_mse_amax({counts, edges_for(300)}, 127, 1), 128.5f);
}

TEST(ReferencePercentile, TakesTheLeftEdge) {
  const std::vector<int64_t> counts = {50, 49, 1};
  EXPECT_EQ(reference_percentile_amax({counts, edges_for(3)}, 50), 0.0f);
  EXPECT_EQ(reference_percentile_amax({counts, edges_for(3)}, 99), 1.0f);
  EXPECT_EQ(reference_percentile_amax({counts, edges_for(3)}, 99.5), 2.0f);
}

TEST(ReferenceMode, RefusesEdgesThatDoNotFitTheBins) {
  const std::vector<int64_t> counts(5, 1);
  const std::vector<float> edges = edges_for(4);
  EXPECT_THROW((void)reference_percentile_amax({counts, edges}, 99), Error);
  EXPECT_THROW((void)reference_entropy_amax({counts, edges}, 128, 1), Error);
  EXPECT_THROW((void)reference_mse_amax({counts, edges}, 127, 1), Error);
}

}  // namespace
}  // namespace detent
