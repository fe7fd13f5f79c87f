// Compares the asymmetric calibrators with loops that follow calibrators/README.md one bin or element at a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "calibrators/signed_bins.h"
#include "calibrators/squared_error.h"
#include "detent/base/calibrator.h"

namespace detent {
namespace {

struct Data {
  const char* name;
  std::vector<float> values;
};

std::vector<float> drawn(uint32_t seed, const std::function<float(float)>& shape) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(1500);  // fewer than bins: the loops look at non-empty bins only
  for (float& x : values) x = shape(normal(random));
  return values;
}

std::vector<Data> data_sets() {
  std::vector<Data> sets{
      {"normal", drawn(1, [](float x) { return x; })},
      {"shifted", drawn(2, [](float x) { return x + 1.5F; })},
      {"skewed", drawn(3, [](float x) { return x < 0 ? 0.1F * x : x * x; })},
      {"rectified", drawn(4, [](float x) { return std::max(x, 0.0F); })},
      {"positive", drawn(5, [](float x) { return std::abs(x) + 0.01F; })},
      {"negative", drawn(6, [](float x) { return -std::abs(x) - 0.01F; })},
      {"heavy", drawn(7, [](float x) { return x * x * x; })},
      {"swish", drawn(8, [](float x) { return 3 * x / (1 + std::exp(-3 * x)); })},
  };
  sets.push_back({"outlier", sets.front().values});
  sets.back().values.push_back(40);
  return sets;
}

Histogram asymmetric_histogram(const std::vector<float>& values) {
  Histogram histogram;
  histogram.add(values);
  return histogram;
}

Range chosen_range(const char* spec, const Histogram& histogram) {
  return make_calibrator(spec)->choose(histogram, RangeKind::Asymmetric);
}

// --- percentile: the ranked elements themselves

TEST(AsymmetricOracle, PercentileCutsAtTheRankedElements) {
  for (const Data& data : data_sets())
    for (const double percent : {50.0, 90.0, 99.0, 99.9, 100.0}) {
      const Histogram histogram = asymmetric_histogram(data.values);
      const Range range = chosen_range(("percentile:" + std::to_string(percent)).c_str(), histogram);
      std::vector<float> sorted = data.values;
      std::ranges::sort(sorted);
      const auto n = static_cast<double>(sorted.size());
      const auto kept = static_cast<size_t>(std::ceil(n * (1 - (100 - percent) / 200) - 1e-9));
      const float high = std::max(sorted[kept - 1], 0.0F), low = std::min(sorted[sorted.size() - kept], 0.0F);
      // The ranked element and the cut share a bin.
      EXPECT_NEAR(range.max, high, histogram.bin_width()) << data.name << " " << percent;
      EXPECT_NEAR(range.min, low, histogram.bin_width()) << data.name << " " << percent;
    }
}

// --- mse and entropy: one end at a time, every candidate from scratch

struct Ends {
  double low, high;  // in bins from 0
};

constexpr int kRounds = 4;

/// Moves one end after the other to its best candidate; `best(ends, move_high)` returns the end it finds.
Ends search(Ends ends, const std::function<double(const Ends&, bool)>& best) {
  for (int round = 0; round < kRounds; ++round) {
    const double high = best(ends, true);
    const bool high_moved = std::exchange(ends.high, high) != high;
    const double low = best(ends, false);
    const bool low_moved = std::exchange(ends.low, low) != low;
    if (!high_moved && !low_moved) break;
  }
  return ends;
}

/// Integral of (x - value)^2 over [a, b].
double integral(double a, double b, double value) { return (std::pow(b - value, 3) - std::pow(a - value, 3)) / 3; }

/// Squared error when the data of every bin lies evenly in it.
double squared_error(const SignedBins& bins, const Ends& ends) {
  const double scale = (ends.high - ends.low) / 255, zero_point = std::nearbyint(-ends.low / scale);
  const double lowest = -zero_point, highest = 255 - zero_point;
  const auto code_of = [&](double x) { return std::clamp(std::nearbyint(x / scale), lowest, highest); };
  double error = 0;
  for (size_t i = 0; i < bins.counts.size(); ++i) {
    if (bins.counts[i] == 0) continue;
    const double left = static_cast<double>(i) - static_cast<double>(bins.zero), right = left + 1;
    for (double code = code_of(left); code <= code_of(right); ++code) {
      const double from = code == lowest ? left : std::max(left, (code - 0.5) * scale);
      const double to = code == highest ? right : std::min(right, (code + 0.5) * scale);
      if (from < to) error += bins.counts[i] * integral(from, to, code * scale);
    }
  }
  return error;
}

Range mse_by_loop(const Histogram& histogram) {
  const SignedBins bins = signed_bins(histogram);
  const double width = histogram.bin_width();
  const double furthest_low = std::min(histogram.min() / width, 0.0);
  const double furthest_high = std::max(histogram.max() / width, 0.0);
  const auto best = [&](const Ends& ends, bool move_high) {
    const double furthest = move_high ? furthest_high : -furthest_low;
    double found = move_high ? ends.high : ends.low, least = squared_error(bins, ends);
    for (double edge = 0; edge < furthest + 1; ++edge) {
      const double candidate = std::min(edge, furthest);
      const Ends moved = move_high ? Ends{ends.low, candidate} : Ends{-candidate, ends.high};
      if (moved.high - moved.low < 1) continue;
      const double error = squared_error(bins, moved);
      if (error >= least) continue;
      least = error;
      found = move_high ? moved.high : moved.low;
    }
    return found;
  };
  const Ends ends = search({furthest_low, furthest_high}, best);
  return {static_cast<float>(ends.low * width), static_cast<float>(ends.high * width)};
}

TEST(AsymmetricOracle, MseFindsWhatALoopFinds) {
  for (const Data& data : data_sets()) {
    const Histogram histogram = asymmetric_histogram(data.values);
    EXPECT_EQ(chosen_range("mse", histogram), mse_by_loop(histogram)) << data.name;
  }
}

constexpr size_t kOracleLevels = 256;

/// Divergence of the bins [first, last), with everything outside in the end bins, from their 256 levels.
double divergence(const std::vector<double>& counts, size_t first, size_t last) {
  const size_t width = last - first;
  std::vector<double> p(counts.begin() + static_cast<ptrdiff_t>(first), counts.begin() + static_cast<ptrdiff_t>(last));
  std::vector<double> sums(kOracleLevels), non_empty(kOracleLevels);
  for (size_t j = 0; j < width; ++j) {
    sums[j * kOracleLevels / width] += p[j];
    non_empty[j * kOracleLevels / width] += p[j] > 0;
  }
  std::vector<double> q(width);
  double total_q = 0;
  for (size_t j = 0; j < width; ++j) {
    if (p[j] > 0) q[j] = sums[j * kOracleLevels / width] / non_empty[j * kOracleLevels / width];
    total_q += q[j];
  }
  for (size_t i = 0; i < first; ++i) p.front() += counts[i];
  for (size_t i = last; i < counts.size(); ++i) p.back() += counts[i];
  double total_p = 0, sum = 0;
  for (const double x : p) total_p += x;
  for (size_t j = 0; j < width; ++j) {
    if (p[j] == 0) continue;
    if (q[j] == 0) return std::numeric_limits<double>::infinity();
    sum += p[j] / total_p * std::log(p[j] / total_p / (q[j] / total_q));
  }
  return total_q > 0 ? sum : std::numeric_limits<double>::infinity();
}

/// Bins with more than 1/4096 of all elements and four times the median of the 16 bins on either side are cut to that.
std::vector<double> atoms_cut(const std::vector<double>& counts) {
  double total = 0;
  for (const double count : counts) total += count;
  std::vector<double> cut = counts;
  for (ptrdiff_t i = 0; i < std::ssize(counts); ++i) {
    std::vector<double> around;
    for (ptrdiff_t j = i - 16; j <= i + 16; ++j)
      if (j != i && j >= 0 && j < std::ssize(counts)) around.push_back(counts[static_cast<size_t>(j)]);
    std::ranges::sort(around);
    const double most = around.empty() ? 0 : 4 * around[around.size() / 2];
    double& count = cut[static_cast<size_t>(i)];
    if (count > total / 4096 && most > 0) count = std::min(count, most);
  }
  return cut;
}

Range entropy_by_loop(const Histogram& histogram) {
  const SignedBins bins = signed_bins(histogram);
  std::vector<double> counts = bins.counts;
  const auto at = [&](size_t i) { return i < counts.size() ? counts[i] : 0.0; };
  if (bins.zero == 0) {
    counts[0] = at(1);
  } else {
    const double mean = (at(bins.zero - 2) + at(bins.zero + 1)) / (bins.zero == counts.size() ? 1 : 2);
    counts[bins.zero - 1] = mean;
    if (bins.zero < counts.size()) counts[bins.zero] = mean;
  }
  counts = atoms_cut(counts);
  const auto best = [&](const Ends& ends, bool move_high) {
    const auto first = static_cast<size_t>(ends.low + static_cast<double>(bins.zero));
    const auto last = static_cast<size_t>(ends.high + static_cast<double>(bins.zero));
    double least = std::numeric_limits<double>::infinity();
    double found = move_high ? ends.high : ends.low;
    const size_t furthest = move_high ? counts.size() - bins.zero : bins.zero;
    for (size_t distance = 0; distance <= furthest; ++distance) {  // wider windows later: ties keep more
      const size_t from = move_high ? first : bins.zero - distance;
      const size_t to = move_high ? bins.zero + distance : last;
      if (to < from + kOracleLevels) continue;
      const double d = divergence(counts, from, to);
      if (d > least + 1e-12) continue;
      least = std::min(least, d);
      found = move_high ? static_cast<double>(distance) : -static_cast<double>(distance);
    }
    return found;
  };
  const Ends all{-static_cast<double>(bins.zero), static_cast<double>(counts.size() - bins.zero)};
  const Ends ends = search(all, best);
  const double width = histogram.bin_width();
  const Range found{static_cast<float>(std::max<double>(ends.low * width, std::min(histogram.min(), 0.0F))),
                    static_cast<float>(std::min<double>(ends.high * width, std::max(histogram.max(), 0.0F)))};
  const Range safe = chosen_range("mse", histogram);
  const auto cost = [&](const Range& range) { return squared_error(histogram, range, RangeKind::Asymmetric); };
  return cost(found) > 16 * cost(safe) ? safe : found;
}

TEST(AsymmetricOracle, EntropyFindsWhatALoopFinds) {
  for (const Data& data : data_sets()) {
    const Histogram histogram = asymmetric_histogram(data.values);
    EXPECT_EQ(chosen_range("entropy", histogram), entropy_by_loop(histogram)) << data.name;
  }
}

TEST(AsymmetricOracle, MaxIsTheExtremes) {
  for (const Data& data : data_sets()) {
    const auto [low, high] = std::ranges::minmax(data.values);
    EXPECT_EQ(chosen_range("max", asymmetric_histogram(data.values)),
              (Range{std::min(low, 0.0F), std::max(high, 0.0F)}))
        << data.name;
  }
}

}  // namespace
}  // namespace detent
