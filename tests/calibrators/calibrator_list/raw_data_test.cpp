// Compares ranges from raw data through our histogram with those that pytorch-quantization chose from its histogram of
// the same data. The bounds are those under which two sound implementations agree: bins differ in width.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "calibrators/divergence.h"
#include "calibrators/reference_data.h"
#include "detent/base/calibrator.h"

namespace detent {
namespace {

using reference_data::Case;

class SharedReferenceRawData : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(reference_data::folder() / "reference.json"))
      GTEST_SKIP() << "missing " << reference_data::folder() / "reference.json";
    cases_ = reference_data::read_cases();
  }
  std::vector<Case> cases_;
};

Histogram raw_histogram(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

/// Unsigned cases hold no negative values, so that our asymmetric path has 256 levels from 0, as theirs has.
RangeKind kind_of(const Case& reference) {
  return reference.is_unsigned ? RangeKind::Asymmetric : RangeKind::Symmetric;
}

float our_amax(const char* calibrator, const Histogram& histogram, RangeKind kind) {
  return make_calibrator(calibrator)->choose(histogram, kind).amax();
}

TEST_F(SharedReferenceRawData, OursBesideTheirs) {
  // amax from our histogram of the raw data / from theirs. Entropy has no bound on amax; theirs with * searched only
  // every eighth bin. Properties of every cell are checked here, how near they lie in the tests below.
  struct Column {
    const char *title, *spec, *reference;
  };
  constexpr Column kColumns[] = {
      {"99 %", "percentile:99", "percentile_percentile99.0"},
      {"99.9 %", "percentile:99.9", "percentile_percentile99.9"},
      {"99.99 %", "percentile:99.99", "percentile_percentile99.99"},
      {"99.999 %", "percentile:99.999", "percentile_percentile99.999"},
      {"mse", "mse", "mse"},
      {"entropy", "entropy", "entropy"},
  };
  std::string table = "  amax, ours / theirs\n  case                 ";
  for (const Column& column : kColumns) table += fmt::format("{:>19}", column.title);
  size_t compared = 0;
  for (const Case& reference : cases_) {
    table += fmt::format("\n  {:21}", reference.histogram);
    const Histogram histogram = raw_histogram(reference.values());
    float last_percentile = 0;
    for (const Column& column : kColumns) {
      const bool percentile = std::string_view(column.spec).starts_with("percentile");
      const float ours = our_amax(column.spec, histogram, percentile ? RangeKind::Symmetric : kind_of(reference));
      const bool coarse = !reference.amax.contains(column.reference);
      const double theirs = reference.amax.at(coarse ? "entropy_stride8" : column.reference);
      table += fmt::format(" {:>8.4g} /{:>8.4g}{}", ours, theirs, coarse ? "*" : " ");
      ++compared;
      EXPECT_GT(ours, 0) << reference.histogram << " " << column.spec;
      EXPECT_LE(ours, histogram.max_abs()) << reference.histogram << " " << column.spec;
      if (!percentile) continue;
      EXPECT_GE(ours, last_percentile) << reference.histogram << ": a larger share needs no smaller range";
      last_percentile = ours;
    }
  }
  std::printf("%s\n", table.c_str());
  EXPECT_EQ(compared, 144u);
}

TEST_F(SharedReferenceRawData, PercentilesLieWithinTheirBins) {
  // Our bin holds the ranked element, which is the best that a histogram can do. Theirs is the left edge of a bin that
  // holds it, hence two of the wider bins; where the rank is whole, either neighbour is right, however far apart.
  size_t apart = 0, compared = 0;
  double worst = 0;
  for (const Case& reference : cases_) {
    const std::vector<float> values = reference.values();
    const Histogram histogram = raw_histogram(values);
    std::vector<float> sorted(values.size());
    std::transform(values.begin(), values.end(), sorted.begin(), [](float x) { return std::fabs(x); });
    std::sort(sorted.begin(), sorted.end());
    const std::vector<float> edges = reference.edges();
    const double wider = std::max<double>(histogram.bin_width(), edges[1] - edges[0]);
    for (const char* percent : {"99.0", "99.9", "99.99", "99.999"}) {
      const auto thousandths = static_cast<uint64_t>(std::llround(std::stod(percent) * 1000)) * values.size();
      const size_t rank = (thousandths + 99999) / 100000;
      const bool whole = thousandths % 100000 == 0;
      const std::string spec = std::string("percentile:") + percent;
      const double ours = our_amax(spec.c_str(), histogram, RangeKind::Symmetric);
      const double theirs = reference.amax.at(std::string("percentile_percentile") + percent);
      const double bins_from_rank = std::fabs(ours - sorted[rank - 1]) / histogram.bin_width();
      const double bins_from_theirs = std::fabs(ours - theirs) / wider;
      worst = std::max(worst, bins_from_rank);
      ++compared;
      EXPECT_LE(bins_from_rank, 1) << reference.histogram << " " << percent;
      const bool gap = whole && rank < sorted.size() && sorted[rank] - sorted[rank - 1] > 2 * wider;
      if (bins_from_theirs > 2) {
        EXPECT_TRUE(gap) << reference.histogram << " " << percent << ": " << bins_from_theirs << " bins";
        ++apart;
      }
    }
  }
  std::printf("  worst distance from the ranked element: %.3f bins\n", worst);
  EXPECT_EQ(compared, 96u);
  EXPECT_EQ(apart, 4u);
}

double true_error(const std::vector<float>& values, double amax, int lowest, int highest) {
  double error = 0;
  for (const double x : values) {
    const double code =
        std::clamp(std::nearbyint(x * highest / amax), static_cast<double>(lowest), static_cast<double>(highest));
    const double difference = code * amax / highest - x;
    error += difference * difference;
  }
  return error;
}

TEST_F(SharedReferenceRawData, MseIsAsGoodAsTheirs) {
  double worst = 0, log_sum = 0;
  for (const Case& reference : cases_) {
    const std::vector<float> values = reference.values();
    const double ours = our_amax("mse", raw_histogram(values), kind_of(reference));
    const double theirs = reference.amax.at("mse");
    const int highest = reference.is_unsigned ? 255 : 127;
    const int lowest = reference.is_unsigned ? 0 : -127;
    const double ratio = true_error(values, ours, lowest, highest) / true_error(values, theirs, lowest, highest);
    worst = std::max(worst, ratio);
    log_sum += std::log(ratio);
    EXPECT_NEAR(ours, theirs, 0.02 * theirs) << reference.histogram;
    EXPECT_LE(ratio, 1.002) << reference.histogram;
  }
  const double mean = std::exp(log_sum / static_cast<double>(cases_.size()));
  std::printf("  error ratio: worst %.6f, geometric mean %.6f\n", worst, mean);
  // The rule under which the error integrated over bins was preferred to the error at their centres.
  EXPECT_LE(worst, 1.0005);
  EXPECT_LE(mean, 1.0);
}

TEST_F(SharedReferenceRawData, EntropyLosesHardlyMoreThanTheirOptimum) {
  // No bound on amax itself: the divergence is flat and rugged around its optimum. Eight bins on either side bridge the
  // ruggedness (D is infinite wherever the last bin is empty) and the different bin widths.
  for (const Case& reference : cases_) {
    const double ours = our_amax("entropy", raw_histogram(reference.values()), kind_of(reference));
    const std::vector<int64_t> counts = reference.counts();
    const std::vector<float> edges = reference.edges();
    const std::vector<double> real_counts(counts.begin(), counts.end());
    const ClippedDivergence divergence(without_zero_peak(real_counts));
    const auto nearest =
        static_cast<size_t>(std::lower_bound(edges.begin(), edges.end(), static_cast<float>(ours)) - edges.begin());
    double best = INFINITY, near = INFINITY;
    for (size_t bins = 128; bins <= divergence.bins(); ++bins) {
      const double d = divergence(0, bins, reference.is_unsigned ? 256 : 128);
      best = std::min(best, d);
      if (bins + 8 >= nearest && bins <= nearest + 8) near = std::min(near, d);
    }
    EXPECT_LE(near, 1.10 * best) << reference.histogram;
  }
}

}  // namespace
}  // namespace detent
