#include "pipeline/parts/value_charts.h"

#include <algorithm>

#include "calibrators/signed_bins.h"

namespace detent {

namespace {

constexpr size_t kChartBins = 256;

std::string origin_of(const Graph& graph, ValueId value) {
  if (const Node* producer = graph.producer(value)) return producer->op_type;
  return graph.value(value).is_input ? "input" : "constant";
}

}  // namespace

ValueHistogram for_chart(const Histogram& histogram) {
  ValueHistogram chart;
  chart.count = histogram.count();
  chart.zeros = histogram.zeros();
  chart.min = histogram.min();
  chart.max = histogram.max();
  const size_t negative = bins_in_use(histogram.negative());
  const size_t positive = bins_in_use(histogram.positive());
  const auto groups = [](size_t bins, size_t joined) { return (bins + joined - 1) / joined; };
  size_t joined = 1;
  while (groups(negative, joined) + groups(positive, joined) > kChartBins) joined *= 2;
  const size_t below = groups(negative, joined);
  chart.bins.resize(below + groups(positive, joined));
  for (size_t i = 0; i < negative; ++i) chart.bins[below - 1 - i / joined] += histogram.negative()[i];
  for (size_t i = 0; i < positive; ++i) chart.bins[below + i / joined] += histogram.positive()[i];
  chart.width = histogram.bin_width() * static_cast<double>(joined);
  chart.first = 0 - static_cast<double>(below) * chart.width;  // no negative zero
  return chart;
}

std::vector<ValueHistogram> describe_values(
    const Graph& graph, const std::map<ValueId, Histogram>& histograms, RangeKind kind,
    const std::vector<std::pair<std::string, const std::map<ValueId, Range>*>>& candidates) {
  std::vector<ValueHistogram> values;
  for (const auto& [value, histogram] : histograms) {
    ValueHistogram chart = for_chart(histogram);
    chart.name = graph.value(value).name;
    chart.op = origin_of(graph, value);
    for (const auto& [calibrator, ranges] : candidates) {
      const auto range = ranges->find(value);
      if (range == ranges->end()) continue;
      const float amax = range->second.amax();
      if (!is_asymmetric(kind))
        chart.ranges.push_back({calibrator, -amax, amax});
      else
        chart.ranges.push_back({calibrator, range->second.min, range->second.max});
    }
    values.push_back(std::move(chart));
  }
  return values;
}

}  // namespace detent
