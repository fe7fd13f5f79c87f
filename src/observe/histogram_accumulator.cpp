#include "observe/histogram_accumulator.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "observe/count_elements.h"

namespace detent {
namespace {

constexpr size_t kBins = Histogram::kBins;
static_assert(kFirstPositive == kBins && kFirstNegative == 2 * kBins && kBinsInTable == 3 * kBins);
// Up to this many elements, incrementing the counters one by one costs less than emptying the table.
constexpr size_t kFewElements = 4096;
constexpr size_t kListRoom = kFewElements + kListSlack;
// Fewer elements are not worth a vector.
constexpr size_t kTooFew = 16;
// Elements added one by one where one of them does not fit: enough to pay for emptying the table where NaN are
// frequent.
constexpr size_t kPlainBlock = 2048;
constexpr size_t kFlushStep = 64;  // bins

/// Returns the bins of a side that can be non-empty when its largest |x| is `magnitude`, rounded up to whole flush
/// steps.
size_t bins_in_use(float magnitude, int log2_width) {
  const auto last = static_cast<size_t>(std::ldexp(magnitude, -log2_width));
  return (last / kFlushStep + 1) * kFlushStep;
}

}  // namespace

HistogramAccumulator::HistogramAccumulator()
    : compresses_words_(cpu_compresses_words()), table_(kCountsPerBin * kBinsInTable), list_(kListRoom) {}

Extremes HistogramAccumulator::add(Histogram& histogram, std::span<const float> values) {
  const Extremes found = add_part(histogram, values, values.size());
  flush(histogram);
  return found;
}

Extremes HistogramAccumulator::add_part(Histogram& histogram, std::span<const float> values, size_t all) {
  extremes_ = {};
  const auto add_plain = [&](std::span<const float> some) {
    const float limit = std::ldexp(static_cast<float>(kBins), histogram.log2_width_);
    if (!std::ranges::all_of(some, [&](float x) { return std::abs(x) < limit; })) flush(histogram);  // bins may grow
    extremes_.include(histogram.add(some));
  };
  while (values.size() >= kTooFew) {
    const std::span<const float> rest =
        all <= kFewElements ? add_few(histogram, values)
                            : add_fitting(histogram, values.first(std::min(values.size(), kMaxElementsInTable)));
    values = values.subspan(static_cast<size_t>(rest.data() - values.data()));
    if (rest.empty()) continue;
    const size_t plain = std::min(values.size(), kPlainBlock);  // NaN, Inf, one that makes the bins grow, or the rest
    add_plain(values.first(plain));
    values = values.subspan(plain);
  }
  if (!values.empty()) add_plain(values);
  return extremes_;
}

std::span<const float> HistogramAccumulator::add_few(Histogram& histogram, std::span<const float> values) {
  size_t end = 0;
  const Counted counted = list_bins(values, histogram.log2_width_, compresses_words_, list_.data(), end);
  if (counted.elements == 0) return values;
  histogram.admit({counted.elements, counted.min, counted.max});
  extremes_.include({counted.min, counted.max});
  histogram.zeros_ += counted.elements - counted.non_zero;
  if (counted.max > 0) histogram.positive_.resize(kBins);
  if (counted.min < 0) histogram.negative_.resize(kBins);
  const std::array<uint64_t*, 3> sides = {nowhere_.data(), histogram.positive_.data(), histogram.negative_.data()};
  const uint16_t* bin = list_.data();
  for (const uint16_t* const last = bin + end; bin != last; ++bin) ++sides[*bin / kBins][*bin % kBins];
  return values.subspan(counted.elements);
}

std::span<const float> HistogramAccumulator::add_fitting(Histogram& histogram, std::span<const float> values) {
  if (in_table_ + values.size() + kCountsPerBin > kMaxElementsInTable) flush(histogram);
  const Counted counted = count_elements(values, histogram.log2_width_, compresses_words_, table_.data());
  if (counted.elements == 0) return values;
  histogram.admit({counted.elements, counted.min, counted.max});
  extremes_.include({counted.min, counted.max});
  histogram.zeros_ += counted.elements - counted.non_zero;
  in_table_ += counted.elements + kCountsPerBin;  // a part may end in the middle of the four counts
  most_ = std::max(most_, counted.max);
  least_ = std::min(least_, counted.min);
  return values.subspan(counted.elements);
}

void HistogramAccumulator::flush(Histogram& histogram) {
  if (in_table_ == 0) return;
  if (most_ > 0) {
    histogram.positive_.resize(kBins);
    flush_table(table_.data() + kCountsPerBin * kFirstPositive, histogram.positive_.data(),
                bins_in_use(most_, histogram.log2_width_));
  }
  if (least_ < 0) {
    histogram.negative_.resize(kBins);
    flush_table(table_.data() + kCountsPerBin * kFirstNegative, histogram.negative_.data(),
                bins_in_use(-least_, histogram.log2_width_));
  }
  in_table_ = 0;
  most_ = least_ = 0;
}

}  // namespace detent
