#include "detent/base/metric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "detent/reports/error_report.h"

namespace detent {
namespace {

TEST(Metric, NamesAreDistinct) {
  std::set<std::string> names, labels;
  for (const Metric& metric : kMetrics) {
    names.insert(metric.name);
    labels.insert(metric.label);
    EXPECT_EQ(metric_named(metric.name), metric);
  }
  EXPECT_EQ(names.size(), kMetrics.size());
  EXPECT_EQ(labels.size(), kMetrics.size());
}

TEST(Metric, UnknownNameIsANumberAsOfACommand) { EXPECT_EQ(metric_named("f1"), metrics::kCommand); }

TEST(Metric, OnlyCrossEntropyItsExponentialAndErrorRatesFall) {
  for (const Metric& metric : kMetrics)
    EXPECT_EQ(metric.falls(), metric == metrics::kNats || metric == metrics::kPerplexity || metric == metrics::kWer ||
                                  metric == metrics::kCer)
        << metric.name;
}

TEST(Metric, EveryErrorIsANumberOfTheErrorReport) {
  for (const Metric& metric : kMetrics) {
    const bool found = std::ranges::any_of(kErrorMetrics, [&](const ErrorMetric& one) { return one.metric == metric; });
    EXPECT_EQ(found, metric.is_error()) << metric.name;
  }
}

TEST(Metric, LossHasTheUnitOfTheMetric) {
  EXPECT_EQ(loss_text(metrics::kTop1, 0.012), "1.20 points of top-1");
  EXPECT_EQ(loss_text(metrics::kMiou, 0.5), "50.00 points of mIoU");
  EXPECT_EQ(loss_text(metrics::kNats, 0.0062), "0.0062 nats a token");
  EXPECT_EQ(loss_text(metrics::kCommand, 0.0123456), "0.01235 of the metric");
  EXPECT_EQ(loss_text(metrics::kIntegerAgreement, 0.01), "1.00 points of agreement");
}

}  // namespace
}  // namespace detent
