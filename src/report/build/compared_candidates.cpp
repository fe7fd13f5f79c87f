#include <cmath>

#include "report/build/compared.h"
#include "report/build/sections.h"
#include "report/compared_types.h"
#include "report/output_errors.h"

namespace detent::build {

namespace {

using namespace document;
using Metrics = std::map<std::string, double>;
using Row = document::Grid::Row;

constexpr double kUnmeasured = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kComparedOutputs = 12;

double value_of(const Metrics& metrics, const char* name) { return find_metric(metrics, name).value_or(kUnmeasured); }

/// Returns a score; a dash where it was not measured.
Words score(const Metric& metric, const std::optional<double>& value, const std::optional<double>& error = {}) {
  return value ? number_of(metric, *value, error) : Number{};
}

/// Returns the metrics that some model has, of one use.
std::vector<Metric> measured_metrics(const Compared& compared, bool details) {
  std::vector<Metric> found;
  for (const Metric& metric : kMetrics) {
    const auto has = [&](const ComparedVariant* variant) { return variant->metrics.contains(metric.name); };
    if ((metric.use == MetricUse::Detail) == details &&
        (compared.report.fp32.contains(metric.name) || std::ranges::any_of(compared.variants, has)))
      found.push_back(metric);
  }
  return found;
}

/// Returns the name of a variant with the calibrator that gave its ranges.
Words title_of(const Compared& compared, size_t variant) {
  const std::string &name = compared.variants[variant]->name, &calibrator = compared.calibrators[variant];
  return {name, calibrator.empty() ? Words() : minor(" (" + calibrator + ")")};
}

Words size_cell(uintmax_t bytes) { return bytes > 0 ? document::bytes(bytes) : Words(); }

/// Adds the scores of a model. A candidate stands on the scale.
void add_scores(Row& row, const Compared& compared, const std::vector<Metric>& columns, const Metrics& metrics,
                const std::optional<double>& error, bool candidate) {
  for (const Metric& metric : columns) {
    const std::optional<double> value = find_metric(metrics, metric.name);
    const bool decides = metric.name == compared.report.criterion;
    row.cells.emplace_back(score(metric, value, decides ? error : std::nullopt));
    if (!decides) continue;
    Cell& chart = row.cells.emplace_back(Words());
    if (candidate) chart.marks = {value.value_or(kUnmeasured)};
  }
}

/// Adds the columns of the latency command, with one for refusals if there are any.
void add_latency_columns(document::Grid& table, bool refused) {
  table.columns.push_back({"ms", Kind::Number, "Of one run, as the latency command prints it"});
  table.columns.push_back({"Speed", Kind::Number, "Time of the float model over that of this one"});
  if (refused) table.columns.push_back({"Refused", Kind::Words, "Why the engine does not take the file"});
}

double ms_of(const std::optional<ComparedLatency>& latency) {
  return latency && latency->ms ? *latency->ms : kUnmeasured;
}

/// Adds the time of a model, and its ratio to that of the float model.
void add_latency(Row& row, const std::optional<ComparedLatency>& latency, const ComparisonReport& report,
                 bool refused) {
  const double ms = ms_of(latency), fp32 = ms_of(report.float_latency);
  row.cells.emplace_back(Words(Number{.value = ms, .digits = 3}));
  row.cells.emplace_back(Words(Number{.value = fp32 / ms, .unit = Unit::Times, .digits = 2}));
  if (!refused) return;
  const std::string reason = !latency || latency->ms ? "" : latency->refusal.empty() ? "no reason" : latency->refusal;
  row.cells.emplace_back(Words(reason));
}

/// True where the engine does not take some model.
bool any_refused(const Compared& compared) {
  const auto refused = [](const std::optional<ComparedLatency>& latency) { return latency && !latency->ms; };
  return refused(compared.report.float_latency) ||
         std::ranges::any_of(compared.variants, [&](const auto* one) { return refused(one->latency); }) ||
         std::ranges::any_of(compared.report.baselines, refused, &ComparedVariant::latency);
}

document::Grid scores_table(const Compared& compared, const std::vector<OwnColumn>& own, bool sized) {
  const ComparisonReport& report = compared.report;
  const Metric& criterion = metric_named(report.criterion);
  const std::vector<Metric> columns = measured_metrics(compared, false);
  std::string head = compared.kind;
  head[0] = static_cast<char>(head[0] - 'a' + 'A');
  document::Grid table{.id = "candidates-table",
                       .label = "Candidates",
                       .columns = {{head, Kind::Name}},
                       .mark = "best",
                       .search = false,
                       .noun = compared.kind,
                       .scale = Scale{.form = Scale::Form::Position,
                                      .reference = value_of(report.fp32, criterion.name),
                                      .reference_meaning = "FP32",
                                      .low_is_bad = !criterion.falls()}};
  for (const Metric& metric : columns) {
    table.columns.push_back({metric.title, Kind::Number, metric.meaning});
    if (metric.name == report.criterion) table.columns.push_back({"", Kind::Chart});
  }
  if (sized) table.columns.push_back({"Size", Kind::Number, "Of the file"});
  table.columns.push_back({"Time", Kind::Number, "To make, run and judge it, on all cores"});
  const bool timed = !report.latency_command.empty(), refused = timed && any_refused(compared);
  if (timed) add_latency_columns(table, refused);
  for (const OwnColumn& one : own) table.columns.push_back(one.column);
  const auto add = [&](const ComparedVariant& variant, const Words& title, bool candidate) -> Row& {
    Row& row = table.rows.emplace_back(Row{.cells = {title}, .apart = !candidate});
    add_scores(row, compared, columns, variant.metrics, variant.score_error, candidate);
    if (sized) row.cells.emplace_back(size_cell(variant.size_bytes));
    row.cells.emplace_back(variant.seconds > 0 ? seconds(variant.seconds) : Words());
    if (timed) add_latency(row, variant.latency, report, refused);
    return row;
  };
  for (size_t v = 0; v < compared.variants.size(); ++v) {
    Row& row = add(*compared.variants[v], title_of(compared, v), true);
    row.marked = compared.wins(v);
    for (const OwnColumn& one : own) row.cells.push_back(one.cells[v]);
  }
  if (!report.fp32.empty() || report.float_latency)
    add({.name = "", .metrics = report.fp32, .latency = report.float_latency}, "FP32", false);
  for (const ComparedVariant& baseline : report.baselines)
    add(baseline, {baseline.name, minor(" without pairs")}, false);
  for (Row& row : table.rows)
    if (row.apart) row.cells.insert(row.cells.end(), own.size(), Cell(Words()));
  return table;
}

/// Lists the parts of a metric by model, which have no column of the first table: mAP by the size of the objects.
document::Grid details_table(const Compared& compared) {
  document::Grid table{.id = "map-by-size",
                       .label = "mAP by size",
                       .columns = {{"mAP by size", Kind::Name}},
                       .heading = "mAP by the size of the objects",
                       .mark = "best",
                       .search = false,
                       .noun = compared.kind};
  const std::vector<Metric> columns = measured_metrics(compared, true);
  if (columns.empty()) return table;
  for (const Metric& metric : columns) table.columns.push_back({metric.title, Kind::Number, metric.meaning});
  const auto add = [&](const Metrics& metrics, const Words& title, bool marked, bool apart) {
    Row& row = table.rows.emplace_back(Row{.cells = {title}, .marked = marked, .apart = apart});
    for (const Metric& metric : columns) row.cells.emplace_back(score(metric, find_metric(metrics, metric.name)));
  };
  for (size_t v = 0; v < compared.variants.size(); ++v)
    add(compared.variants[v]->metrics, title_of(compared, v), compared.wins(v), false);
  add(compared.report.fp32, "FP32", false, true);
  for (const ComparedVariant& baseline : compared.report.baselines) add(baseline.metrics, baseline.name, false, true);
  return table;
}

Cell output_cell(const ComparedVariant& variant, const std::string& name) {
  const auto found = std::ranges::find(variant.outputs, name, &ErrorReport::Output::name);
  if (found == variant.outputs.end()) return Words(Number{});
  if (is_exact(*found)) return Words("exact");
  if (found->kind == OutputKind::Integers) {
    Cell cell(Words{score(metrics::kIntegerAgreement, found->agreement), " equal"});
    cell.key = found->agreement.value_or(kUnmeasured);
    return cell;
  }
  return found->sqnr_db ? decibels(*found->sqnr_db, 2) : Words("0 in FP32");
}

/// Compares the SQNR of each output, of integers the share of equal elements; no rows for a single one.
document::Grid outputs_by_variant(const Compared& compared) {
  document::Grid table{.id = "outputs",
                       .label = "SQNR of each output",
                       .columns = {{"Output, SQNR", Kind::Name}},
                       .heading = "SQNR of each output, of integers the share of equal elements",
                       .search = false,
                       .noun = "output",
                       .most = kComparedOutputs};
  const auto winner = compared.winner();
  if (!winner || compared.variants[*winner]->outputs.size() < 2) return table;
  for (const ComparedVariant* variant : compared.variants) table.columns.push_back({variant->name});
  for (const ErrorReport::Output& output : worst_first(compared.variants[*winner]->outputs)) {
    Row& row = table.rows.emplace_back(Row{.cells = {name(output.name)}});
    for (const ComparedVariant* variant : compared.variants) row.cells.push_back(output_cell(*variant, output.name));
  }
  return table;
}

/// Lists every error of each of several outputs, by model.
document::Grid errors_by_variant(const Compared& compared) {
  document::Grid table{.id = "output-errors",
                       .label = "Search outputs",
                       .columns = {{"Output", Kind::Name},
                                   {compared.kind, Kind::Words},
                                   {"SQNR", Kind::Number, metrics::kSqnr.meaning},
                                   {"Cosine", Kind::Number, metrics::kCosine.meaning},
                                   {"In words", Kind::Words}},
                       .heading = "errors of each output",
                       .folded = "Every error of each output",
                       .search = false,
                       .noun = "output",
                       .detail = true};
  const auto add = [&](const ComparedVariant& variant) {
    if (variant.outputs.size() < 2) return;
    for (const ErrorReport::Output& output : variant.outputs)
      table.rows.push_back({{name(output.name), Words(variant.name), score(metrics::kSqnr, output.sqnr_db),
                             score(metrics::kCosine, output.cosine), error_words(output)}});
  };
  for (const ComparedVariant* variant : compared.variants) add(*variant);
  for (const ComparedVariant& baseline : compared.report.baselines) add(baseline);
  return table;
}

/// Lists a number of every sample by model. Only texts have it: pages would grow by a row for each sample.
template <class Member>
document::Grid samples_by_variant(const Compared& compared, const Metric& metric, Member member) {
  document::Grid table{.columns = {{"Sample", Kind::Name}},
                       .heading = {metric.title, " of each sample"},
                       .noun = "sample",
                       .detail = true};
  std::vector<const ComparedVariant*> models = compared.variants;
  for (const ComparedVariant& baseline : compared.report.baselines) models.push_back(&baseline);
  const auto has_any = [&](const ErrorReport::Sample& sample) { return (sample.*member).has_value(); };
  std::erase_if(models, [&](const ComparedVariant* one) { return std::ranges::none_of(one->by_sample, has_any); });
  if (models.empty()) return table;
  for (const ComparedVariant* model : models) table.columns.push_back({model->name});
  for (size_t s = 0; s < models.front()->by_sample.size(); ++s) {
    Row& row = table.rows.emplace_back(Row{.cells = {name(models.front()->by_sample[s].name)}});
    for (const ComparedVariant* model : models) row.cells.emplace_back(score(metric, model->by_sample[s].*member));
  }
  return table;
}

/// Explains the standard errors of the scores, or says why there are none.
Words error_meaning(const Compared& compared) {
  const auto sure = [](const ComparedVariant* variant) { return variant->score_error.has_value(); };
  if (std::ranges::any_of(compared.variants, sure)) return "\u00B1 is the standard error over the samples";
  return compared.report.criterion == metrics::kCommand.name
             ? "no standard error: the command returns one number for all samples"
             : "no standard error: one sample has none";
}

/// Names the command that timed the models; empty without one.
Words timed_words(const ComparisonReport& report) {
  return report.latency_command.empty() ? Words() : Words{"ms is what ", code(report.latency_command), " prints"};
}

}  // namespace

Section candidates(const Compared& compared, const Words& lead, const std::vector<OwnColumn>& own, bool sized) {
  Section section{Topic::Candidates, {}};
  if (compared.variants.empty()) return section;
  section.parts = {Line{lead, Line::Role::Lead},
                   Line{joined({error_meaning(compared), timed_words(compared.report)}, "; "), Line::Role::Apart},
                   scores_table(compared, own, sized),
                   details_table(compared),
                   outputs_by_variant(compared),
                   errors_by_variant(compared),
                   samples_by_variant(compared, metrics::kSqnr, &ErrorReport::Sample::sqnr_db)};
  if (compared.report.criterion != metrics::kSqnr.name)
    section.parts.emplace_back(
        samples_by_variant(compared, metric_named(compared.report.criterion), &ErrorReport::Sample::score));
  return section;
}

}  // namespace detent::build
