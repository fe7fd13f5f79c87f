#include "detent/base/histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {
namespace {

constexpr uint32_t kMagnitudeMask = 0x7fffffffu;
constexpr uint32_t kInfinityBits = 0x7f800000u;
constexpr uint32_t kSmallestBits = std::bit_cast<uint32_t>(0x1p-40f);  // below it an element counts as zero
constexpr std::array<uint64_t, Histogram::kBins> kNoCounts{};

/// Returns the smallest k with magnitude < 2^(k+12), within the bounds of a histogram.
int log2_width_for(float magnitude) {
  if (magnitude == 0) return Histogram::kMinLog2Width;
  return std::max(std::ilogb(magnitude) - 11, Histogram::kMinLog2Width);
}

void add_counts(std::vector<uint64_t>& into, const std::vector<uint64_t>& from, int shift) {
  if (from.empty()) return;
  if (into.empty()) into.resize(Histogram::kBins);
  for (size_t i = 0; i < from.size(); ++i) into[i >> shift] += from[i];
}

/// Returns the shift, at most 12, which puts everything into bin 0 as any larger one does.
int bounded_shift(int from_width, int to_width) { return std::min(to_width - from_width, 12); }

uint64_t total(const std::vector<uint64_t>& counts) {
  uint64_t sum = 0;
  for (const uint64_t count : counts) sum += count;
  return sum;
}

}  // namespace

void Histogram::grow_to(int log2_width) {
  if (log2_width <= log2_width_) return;
  const int shift = bounded_shift(log2_width_, log2_width);
  for (std::vector<uint64_t>* side : {&positive_, &negative_}) {
    for (size_t i = 1; i < side->size(); ++i) {  // bin 0 stays; i >> shift < i, so nothing is read after it was written
      const uint64_t moved = (*side)[i];
      (*side)[i] = 0;
      (*side)[i >> shift] += moved;
    }
  }
  log2_width_ = log2_width;
}

void Histogram::admit(const Summary& summary) {
  if (summary.count == 0) return;
  min_ = count_ == 0 ? summary.min : std::min(min_, summary.min);
  max_ = count_ == 0 ? summary.max : std::max(max_, summary.max);
  count_ += summary.count;
  grow_to(log2_width_for(max_abs()));
}

Extremes Histogram::add(std::span<const float> values) {
  Summary summary{0, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (const float x : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(x) & kMagnitudeMask;
    if (bits >= kInfinityBits) {
      ++(bits == kInfinityBits ? infinities_ : nans_);
      continue;
    }
    const float finite = bits < kSmallestBits ? 0.0f : x;
    zeros_ += finite == 0.0f;
    ++summary.count;
    summary.min = std::min(summary.min, finite);
    summary.max = std::max(summary.max, finite);
  }
  admit(summary);
  if (summary.min < 0) negative_.resize(kBins);
  if (summary.max > 0) positive_.resize(kBins);
  const float inverse_width = std::ldexp(1.0f, -log2_width_);
  for (const float x : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(x) & kMagnitudeMask;
    if (bits < kSmallestBits || bits >= kInfinityBits) continue;
    // A product by a power of two is exact, or so small (k large, |x| tiny) that bin 0 is right anyway.
    const auto bin = static_cast<size_t>(std::bit_cast<float>(bits) * inverse_width);
    ++(x < 0 ? negative_ : positive_)[bin];
  }
  return {summary.min, summary.max};
}

void Histogram::merge(const Histogram& other) {
  admit({other.count_, other.min_, other.max_});
  zeros_ += other.zeros_;
  nans_ += other.nans_;
  infinities_ += other.infinities_;
  const int shift = bounded_shift(other.log2_width_, log2_width_);
  add_counts(positive_, other.positive_, shift);
  add_counts(negative_, other.negative_, shift);
}

float Histogram::max_abs() const { return std::max(max_, -min_); }

double Histogram::bin_width() const { return std::ldexp(1.0, log2_width_); }

std::span<const uint64_t> Histogram::positive() const {
  if (positive_.empty()) return kNoCounts;
  return positive_;
}

std::span<const uint64_t> Histogram::negative() const {
  if (negative_.empty()) return kNoCounts;
  return negative_;
}

std::vector<uint64_t> Histogram::magnitude_counts() const {
  std::vector<uint64_t> counts(kBins);
  add_counts(counts, positive_, 0);
  add_counts(counts, negative_, 0);
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  return counts;
}

double Histogram::sum() const {
  double sum = 0;  // in bins; from the most negative to the most positive
  for (size_t i = negative_.size(); i-- > 0;) sum -= static_cast<double>(negative_[i]) * (static_cast<double>(i) + 0.5);
  for (size_t i = 0; i < positive_.size(); ++i)
    sum += static_cast<double>(positive_[i]) * (static_cast<double>(i) + 0.5);
  return sum * bin_width();
}

double Histogram::sum_of_squares() const {
  double sum = 0;
  const auto add_side = [&sum](const std::vector<uint64_t>& side) {
    for (size_t i = 0; i < side.size(); ++i) {
      const double centre = static_cast<double>(i) + 0.5;
      sum += static_cast<double>(side[i]) * centre * centre;
    }
  };
  add_side(negative_);
  add_side(positive_);
  return sum * bin_width() * bin_width();
}

Histogram::State Histogram::state() const {
  const auto full = [](std::span<const uint64_t> side) { return std::vector<uint64_t>(side.begin(), side.end()); };
  return {count_, zeros_, nans_, infinities_, min_, max_, log2_width_, full(positive()), full(negative())};
}

Histogram Histogram::from_state(State state) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::InvalidData, "a stored histogram is damaged: " + what, "write the table again");
  };
  if (state.positive.size() != kBins || state.negative.size() != kBins)
    refuse("it has " + std::to_string(state.positive.size()) + " and " + std::to_string(state.negative.size()) +
           " bins, expected " + std::to_string(kBins) + " a side");
  if (!std::isfinite(state.min) || !std::isfinite(state.max) || state.min > state.max)
    refuse("its minimum " + std::to_string(state.min) + " and maximum " + std::to_string(state.max) +
           " are no interval");
  if (state.count == 0 && (state.min != 0 || state.max != 0)) refuse("it has a range but no elements");
  Histogram histogram;
  histogram.min_ = state.min + 0.0f;  // -0 becomes +0
  histogram.max_ = state.max + 0.0f;
  if (state.log2_width != log2_width_for(histogram.max_abs()))
    refuse("its bins are 2^" + std::to_string(state.log2_width) + " wide, but its range needs 2^" +
           std::to_string(log2_width_for(histogram.max_abs())));
  const uint64_t positive = total(state.positive);
  const uint64_t negative = total(state.negative);
  if (state.count != state.zeros + positive + negative)
    refuse("its bins hold " + std::to_string(positive + negative) + " elements and " + std::to_string(state.zeros) +
           " zeros, expected " + std::to_string(state.count) + " together");
  histogram.count_ = state.count;
  histogram.zeros_ = state.zeros;
  histogram.nans_ = state.nans;
  histogram.infinities_ = state.infinities;
  histogram.log2_width_ = state.log2_width;
  if (positive > 0) histogram.positive_ = std::move(state.positive);
  if (negative > 0) histogram.negative_ = std::move(state.negative);
  return histogram;
}

}  // namespace detent
