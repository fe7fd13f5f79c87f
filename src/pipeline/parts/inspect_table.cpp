#include "pipeline/parts/inspect_table.h"

#include <algorithm>

#include "calibrate/outlier_samples.h"
#include "calibrators/signed_bins.h"
#include "core/nearest_names.h"
#include "detent/base/error.h"
#include "observe/table_sum.h"

namespace detent {

namespace {

constexpr int kRows = 24;

/// Counts one side from 0 outwards, `step` bins a row, without the empty rows at its end.
std::vector<DistributionReport::Row> rows_of(std::span<const uint64_t> side, size_t step, double width) {
  std::vector<DistributionReport::Row> rows;
  for (size_t begin = 0; begin < side.size(); begin += step) {
    const size_t end = std::min(begin + step, side.size());
    uint64_t count = 0;
    for (size_t bin = begin; bin < end; ++bin) count += side[bin];
    rows.push_back({static_cast<double>(begin) * width, static_cast<double>(end) * width, count});
  }
  while (!rows.empty() && rows.back().count == 0) rows.pop_back();
  return rows;
}

/// Returns the bins of one side without the empty ones at its end.
std::vector<uint64_t> used_bins(std::span<const uint64_t> side) {
  std::vector<uint64_t> bins(side.begin(), side.end());
  while (!bins.empty() && bins.back() == 0) bins.pop_back();
  return bins;
}

TableReport::Value::Tokens describe_tokens(const TokenReach& reach) {
  TableReport::Value::Tokens tokens{.first = static_cast<double>(reach.first),
                                    .median = reach.token_quantile(0.5),
                                    .p99 = reach.token_quantile(0.99),
                                    .others = static_cast<double>(reach.others),
                                    .channels = reach.channels.size()};
  const auto largest = std::ranges::max_element(reach.channels);
  tokens.largest_channel = static_cast<size_t>(largest - reach.channels.begin());
  tokens.wide_channels = static_cast<size_t>(
      std::ranges::count_if(reach.channels, [&](float channel) { return channel >= *largest / 2; }));
  std::vector<float> sorted = reach.channels;
  std::ranges::sort(sorted);
  tokens.median_channel = static_cast<double>(sorted[(sorted.size() - 1) / 2]);
  return tokens;
}

}  // namespace

TableReport describe_table(const CalibrationTable& table, const std::filesystem::path& path) {
  TableReport report;
  report.table = path.string();
  std::error_code error;
  if (const auto bytes = std::filesystem::file_size(path, error); !error) report.bytes = bytes;
  report.model_fingerprint = table.model;
  report.tools = table.tools;
  report.instruction_sets = table.instruction_sets;
  report.targets = table.targets;
  report.equalize = table.equalize;
  report.equalized_values = table.equalization.values.size();
  report.partial = table.partial();
  for (const TableShard& shard : table.shards)
    report.shards.push_back(std::to_string(shard.index) + "/" + std::to_string(shard.count) +
                            (shard.partial ? " partial" : ""));
  // A table of a single shard is complete without the others.
  if (table.shards.size() > 1) report.missing_shards = missing_shards(table.shards);
  for (const TableSample& sample : table.samples) report.samples.push_back(sample.name);
  report.outliers = find_outlier_samples(table);
  for (const auto& [name, value] : table.values) {
    const Histogram& histogram = value.histogram;
    TableReport::Value line{name,
                            histogram.count(),
                            histogram.zeros(),
                            histogram.nans(),
                            histogram.infinities(),
                            histogram.min(),
                            histogram.max(),
                            histogram.log2_width()};
    for (const auto side : {histogram.negative(), histogram.positive()})
      line.bins_in_use += static_cast<size_t>(std::ranges::count_if(side, [](uint64_t count) { return count > 0; }));
    if (value.scale > 0) line.scale = value.scale;
    if (const auto tokens = table.tokens.find(name); tokens != table.tokens.end() && tokens->second.sequences > 0)
      line.tokens = describe_tokens(tokens->second);
    report.values.push_back(std::move(line));
  }
  report.float_values = static_cast<size_t>(
      std::ranges::count_if(table.reaches, [](const auto& entry) { return entry.second.has_value(); }));
  return report;
}

bool is_table(const std::filesystem::path& file) { return is_table_file(file); }

TableReport inspect_table(const std::filesystem::path& path) { return describe_table(read_table(path), path); }

DistributionReport inspect_table_value(const std::filesystem::path& path, const std::string& value) {
  const CalibrationTable table = read_table(path);
  const auto found = table.values.find(value);
  if (found == table.values.end()) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : table.values) names.push_back(name);
    throw Error(ErrorCode::InvalidOption, path.string() + ": the table has no value '" + value + "'",
                did_you_mean(value, names, "'detent inspect TABLE' lists the values"));
  }
  if (found->second.scale > 0)
    throw Error(ErrorCode::InvalidOption, path.string() + ": '" + value + "' has only an imported scale, no histogram");
  DistributionReport report;
  const TableReport whole = describe_table(table, path);
  report.table = whole.table;
  report.value = *std::ranges::find(whole.values, value, &TableReport::Value::name);
  const Histogram& histogram = found->second.histogram;
  const size_t bins = bins_in_use(histogram.negative()) + bins_in_use(histogram.positive());
  const size_t step = std::max<size_t>(1, (bins + kRows - 1) / kRows);
  report.rows = rows_of(histogram.negative(), step, -histogram.bin_width());
  std::ranges::reverse(report.rows);
  for (auto& row : report.rows) row = {row.high, row.low + 0.0, row.count};  // -0 is 0
  const auto positive = rows_of(histogram.positive(), step, histogram.bin_width());
  report.rows.insert(report.rows.end(), positive.begin(), positive.end());
  report.negative = used_bins(histogram.negative());
  report.positive = used_bins(histogram.positive());
  return report;
}

}  // namespace detent
