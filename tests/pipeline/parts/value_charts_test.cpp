#include "pipeline/parts/value_charts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "model/model.h"

namespace detent {
namespace {

uint64_t total(const ValueHistogram& chart) {
  return std::accumulate(chart.bins.begin(), chart.bins.end(), uint64_t{0});
}

TEST(ForChart, KeepsEveryElementInAtMost256Bins) {
  Histogram histogram;
  std::vector<float> values;
  for (int i = -1500; i <= 3000; ++i) values.push_back(static_cast<float>(i) / 64);
  histogram.add(values);
  const ValueHistogram chart = for_chart(histogram);
  EXPECT_LE(chart.bins.size(), 256U);
  EXPECT_GT(chart.bins.size(), 128U);  // one step finer would not fit
  EXPECT_EQ(chart.zeros, 1U);
  EXPECT_EQ(total(chart) + chart.zeros, chart.count);
  EXPECT_LE(chart.first, chart.min);
  EXPECT_GE(chart.first + chart.width * static_cast<double>(chart.bins.size()), chart.max);
}

TEST(ForChart, PutsElementsWhereTheyLie) {
  Histogram histogram;
  histogram.add(std::vector<float>{-1.0F, 0.25F, 0.25F, 3.0F});
  const ValueHistogram chart = for_chart(histogram);
  const auto counted = [&](double x) { return chart.bins.at(static_cast<size_t>((x - chart.first) / chart.width)); };
  EXPECT_EQ(counted(0.25), 2U);
  EXPECT_EQ(counted(3.0), 1U);
  // A negative bin holds its lower edge's neighbour above: -1 lies at the upper end of its bin.
  EXPECT_EQ(chart.bins.at(static_cast<size_t>((-1.0 - chart.first) / chart.width) - 1), 1U);
  EXPECT_EQ(total(chart), 4U);
}

TEST(ForChart, HasNoBinsForZerosAlone) {
  Histogram histogram;
  histogram.add(std::vector<float>{0.0F, 0.0F});
  const ValueHistogram chart = for_chart(histogram);
  EXPECT_TRUE(chart.bins.empty());
  EXPECT_EQ(chart.zeros, 2U);
  EXPECT_TRUE(for_chart(Histogram()).bins.empty());
}

TEST(DescribeValues, NamesOriginsAndTheRangesOfEveryCandidate) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 3] x) => (float[N, 3] y) { r = Relu (x)  y = Neg (r) })");
  const Graph& graph = model.graph();
  const ValueId x = *graph.find_value("x");
  const ValueId r = *graph.find_value("r");
  Histogram histogram;
  histogram.add(std::vector<float>{1.0F});
  const std::map<ValueId, Range> wide = {{x, {-2, 4}}, {r, {0, 4}}};
  const std::map<ValueId, Range> narrow = {{x, {-1, 1}}, {r, {0, 1}}};
  const auto values = describe_values(graph, {{x, histogram}, {r, histogram}}, RangeKind::Asymmetric,
                                      {{"max", &wide}, {"mse", &narrow}});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].name, "x");
  EXPECT_EQ(values[0].op, "input");
  EXPECT_EQ(values[1].op, "Relu");
  ASSERT_EQ(values[0].ranges.size(), 2U);
  EXPECT_EQ(values[0].ranges[0].calibrator, "max");
  EXPECT_EQ(values[0].ranges[0].min, -2);
  EXPECT_EQ(values[0].ranges[1].max, 1);
  const auto symmetric = describe_values(graph, {{x, histogram}}, RangeKind::Symmetric, {{"max", &wide}});
  EXPECT_EQ(symmetric[0].ranges[0].min, -4);
}

}  // namespace
}  // namespace detent
