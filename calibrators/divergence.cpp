#include "calibrators/divergence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "calibrators/sum_of_logs.h"

namespace detent {
namespace {

constexpr size_t kWindowStep = 32;  // every 32nd window is computed first, to skip those that cannot come near them
constexpr double kMargin = 1e-9;    // far more than kSameDivergence and the rounding of lower_bound

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

}  // namespace

ClippedDivergence::ClippedDivergence(std::span<const double> counts)
    : counts_(counts.begin(), counts.end()), sums_(1), log_sums_(1), non_empty_(1) {
  for (const double count : counts_) {
    sums_.push_back(sums_.back() + count);
    log_sums_.push_back(log_sums_.back() + x_log_x(count));
    non_empty_.push_back(non_empty_.back() + (count > 0 ? 1 : 0));
  }
}

double ClippedDivergence::operator()(size_t first, size_t last, size_t levels) const {
  const double left = sums_[first];
  const double right = sums_.back() - sums_[last];
  const double inside = sums_[last] - sums_[first];
  const double first_count = counts_[first];
  const double last_count = counts_[last - 1];
  if (inside <= 0 || (left > 0 && first_count == 0) || (right > 0 && last_count == 0))
    return std::numeric_limits<double>::infinity();

  // sum p ln p: that of the bins, with the tails moved into the end bins.
  double p_log_p = log_sums_[last] - log_sums_[first];
  if (left > 0) p_log_p += x_log_x(first_count + left) - x_log_x(first_count);
  if (right > 0) p_log_p += x_log_x(last_count + right) - x_log_x(last_count);

  // sum p ln q: within a bucket q is constant and p sums to the bucket's count, except for the tails.
  const size_t width = last - first;
  double p_log_q = 0;
  double first_level = 1, last_level = 1;  // count a non-empty bin of the end buckets
  std::array<double, 256> counts, bins;    // of the buckets that are not empty
  size_t filled = 0;
  const auto add_logs = [&] {
    p_log_q += sum_of_logs(std::span(counts).first(filled), std::span(bins).first(filled));
    filled = 0;
  };
  size_t begin = first;
  size_t end = first;
  size_t rest = levels - 1;  // the bucket ends at ceil((bucket + 1) * width / levels), without a division each
  for (size_t bucket = 0; bucket < levels; ++bucket) {
    end += width / levels;
    rest += width % levels;
    if (rest >= levels) {
      rest -= levels;
      ++end;
    }
    const double count = sums_[end] - sums_[begin];
    if (count > 0) {
      counts[filled] = count;
      bins[filled] = non_empty_[end] - non_empty_[begin];
      if (begin == first) first_level = count / bins[filled];
      if (end == last) last_level = count / bins[filled];
      if (++filled == counts.size()) add_logs();
    }
    begin = end;
  }
  add_logs();
  if (left > 0) p_log_q += left * std::log(first_level);
  if (right > 0) p_log_q += right * std::log(last_level);
  return (p_log_p - p_log_q) / sums_.back() - std::log(sums_.back()) + std::log(inside);
}

double ClippedDivergence::lower_bound(size_t first, size_t last, size_t levels) const {
  const double left = sums_[first];
  const double right = sums_.back() - sums_[last];
  const double inside = sums_[last] - sums_[first];
  if (inside <= 0 || (left > 0 && counts_[first] == 0) || (right > 0 && counts_[last - 1] == 0))
    return std::numeric_limits<double>::infinity();
  const size_t shortest = (last - first) / levels;
  const size_t longest = shortest + 1;  // bins of a bucket
  const auto moved = [](double tail, double bucket) { return (bucket + tail) * std::log1p(tail / bucket); };
  double tails = 0;
  if (left > 0) tails += moved(left, sums_[first + longest] - sums_[first]);
  if (right > 0) tails += moved(right, sums_[last] - sums_[last - longest]);
  return tails / sums_.back() + std::log(inside / sums_.back());
}

std::vector<double> window_divergences(const ClippedDivergence& divergence, std::span<const Window> windows,
                                       size_t levels) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < windows.size(); i += kWindowStep)
    least = std::min(least, divergence(windows[i].first, windows[i].last, levels));
  std::vector<double> found(windows.size(), std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < windows.size(); ++i) {
    const auto [first, last] = windows[i];
    if (divergence.lower_bound(first, last, levels) > least + kMargin) continue;
    found[i] = divergence(first, last, levels);
    least = std::min(least, found[i]);
  }
  return found;
}

size_t last_minimum(std::span<const double> divergences) {
  const double smallest = *std::min_element(divergences.begin(), divergences.end());
  size_t i = divergences.size() - 1;
  while (divergences[i] > smallest + kSameDivergence) --i;
  return i;
}

std::vector<double> without_zero_peak(std::span<const double> counts) {
  std::vector<double> copy(counts.begin(), counts.end());
  if (copy.size() > 1) copy[0] = copy[1];
  return copy;
}

}  // namespace detent
