#include "calibrate/outlier_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr float kAlone = 1.5F;
constexpr size_t kFewestValues = 3;
constexpr size_t kOneValueIn = 10;

struct Holder {
  size_t sample = 0;
  double ratio = 1;  // to the median of the samples that are not all zero
  bool alone = false;
};

/// Returns the sample with the largest |x| of a value, the first of equals; nullopt when all are 0.
std::optional<Holder> holder_of(std::span<const Extremes> samples) {
  std::vector<float> reaches;
  for (const Extremes& sample : samples)
    if (sample.max_abs() > 0) reaches.push_back(sample.max_abs());
  if (reaches.empty()) return std::nullopt;
  std::ranges::sort(reaches);
  const float largest = reaches.back();
  const auto holder = std::ranges::find(samples, largest, &Extremes::max_abs);
  const float median = reaches[(reaches.size() - 1) / 2];
  return Holder{.sample = static_cast<size_t>(holder - samples.begin()),
                .ratio = static_cast<double>(largest) / median,
                .alone = reaches.size() == 1 || largest >= kAlone * reaches[reaches.size() - 2]};
}

constexpr float kBeyondOthers = 1.1F;
constexpr float kMostBeyond = 16;  // a value that the others leave at 0 counts as four octaves

/// Adds to `octaves` how far the sample with the largest reach lies beyond the one with the next, of those that count.
template <class Reach>
void add_octaves(std::span<const Extremes> samples, const std::vector<bool>& counts, Reach&& reach,
                 std::vector<double>& octaves) {
  size_t holder = 0;
  float largest = 0, next = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!counts[i]) continue;
    const float own = reach(samples[i]);
    if (own > largest)
      next = std::exchange(largest, own), holder = i;
    else
      next = std::max(next, own);
  }
  if (largest > kBeyondOthers * next) octaves[holder] += std::log2(std::min(kMostBeyond, largest / next));
}

}  // namespace

std::vector<std::string> samples_of_extremes(const Calibration& calibration, size_t most,
                                             const std::set<std::string>& left_out) {
  const std::vector<std::string>& names = calibration.sample_names;
  std::vector<bool> counts;
  for (const std::string& name : names) counts.push_back(!left_out.contains(name));
  std::vector<double> octaves(names.size());
  for (const auto& [value, samples] : calibration.extremes) {
    if (samples.size() != names.size()) continue;
    add_octaves(
        samples, counts, [](const Extremes& one) { return one.max; }, octaves);
    add_octaves(
        samples, counts, [](const Extremes& one) { return -one.min; }, octaves);
  }
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return octaves[i] == 0; });
  std::ranges::sort(order, {}, [&](size_t i) { return std::tuple(-octaves[i], names[i], i); });
  std::vector<std::string> found;
  for (const size_t i : order)
    if (found.size() < most) found.push_back(names[i]);
  return found;
}

OutlierReport find_outlier_samples(std::span<const std::string> names,
                                   std::span<const std::span<const Extremes>> values) {
  OutlierReport report{.values = values.size()};
  if (names.size() < kFewestToJudge) return report;
  std::vector<OutlierReport::Sample>& all = report.all;
  for (const std::string& name : names) all.push_back({name});
  for (const std::span<const Extremes> samples : values)
    if (const auto holder = holder_of(samples)) {
      OutlierReport::Sample& one = all[holder->sample];
      ++one.largest;
      if (!holder->alone) continue;
      ++one.values;
      one.ratio = std::max(one.ratio, holder->ratio);
    }
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return std::tie(b.values, b.ratio, b.largest, a.sample) < std::tie(a.values, a.ratio, a.largest, b.sample);
  });
  std::ranges::copy_if(all, std::back_inserter(report.samples), [&](const OutlierReport::Sample& one) {
    return one.values >= kFewestValues && one.values * kOneValueIn >= values.size();
  });
  return report;
}

OutlierReport find_outlier_samples(const Calibration& calibration) {
  std::vector<std::span<const Extremes>> values;
  for (const auto& [value, samples] : calibration.extremes) values.emplace_back(samples);
  return find_outlier_samples(calibration.sample_names, values);
}

OutlierReport find_outlier_samples(const CalibrationTable& table) {
  if (!table.has_extremes()) return {};
  std::vector<std::string> names;
  for (const TableSample& sample : table.samples) names.push_back(sample.name);
  std::vector<std::span<const Extremes>> values;
  for (const auto& [name, value] : table.values)
    if (value.scale == 0) values.emplace_back(value.extremes);
  return find_outlier_samples(names, values);
}

std::set<std::string> names_of(const OutlierReport& outliers) {
  std::set<std::string> names;
  for (const OutlierReport::Sample& sample : outliers.samples) names.insert(sample.sample);
  return names;
}

}  // namespace detent
