#include <algorithm>
#include <cmath>

#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Candidate = CalibratorMeasurement::Candidate;

constexpr size_t kOutliersShown = 3;
constexpr size_t kSamplesListed = 10;  // with those that are like the others
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Words times(double ratio) { return Number{.value = ratio, .unit = Unit::Significant, .digits = 3}; }

/// Lists the outliers, and for comparison the samples that follow.
document::Grid samples_table(const OutlierReport& report) {
  document::Grid table{.id = "outlier-table",
                       .label = "Samples by the values whose range they set",
                       .columns = {{"Sample", Kind::Name},
                                   {"Sets alone", Kind::Number, "Values whose range only this sample sets"},
                                   {"Up to", Kind::Number, "Its largest |x| over the median sample's"},
                                   {"Largest", Kind::Minor, "Values whose largest |x| is in this sample"}},
                       .heading = "samples by the values whose range they set",
                       .mark = "outlier",
                       .search = false,
                       .noun = "sample",
                       .detail = true};
  for (size_t i = 0; i < report.all.size(); ++i) {
    const OutlierReport::Sample& one = report.all[i];
    const bool outlier = i < report.samples.size();
    if (!outlier && (i >= kSamplesListed || one.values == 0)) break;
    table.rows.push_back(
        {.cells = {name(one.sample), count(one.values), times(one.ratio), count(one.largest)}, .marked = outlier});
  }
  return table;
}

/// Returns the agreements that some candidate has, without that of integers: each is a column.
std::vector<ErrorMetric> agreements_of(const std::vector<Candidate>& candidates) {
  std::vector<ErrorMetric> found;
  for (const ErrorMetric& agreement : kErrorMetrics)
    if (agreement.metric.is_agreement() && agreement.metric != metrics::kIntegerAgreement &&
        std::ranges::any_of(candidates, [&](const Candidate& one) { return (one.error.*agreement.value).has_value(); }))
      found.push_back(agreement);
  return found;
}

/// Returns "64 samples"; "16 to 64 samples" where some candidates were measured on fewer.
Words measured_on(const CalibratorMeasurement& measured) {
  size_t fewest = measured.samples;
  for (const Candidate& candidate : measured.candidates) fewest = std::min(fewest, candidate.error.samples);
  const Words all = count(measured.samples, "sample");
  return fewest < measured.samples ? Words{count(fewest), " to ", all} : all;
}

/// Returns the reason for the winner, after "; ", where the scores do not show it.
Words why_taken(const CalibratorMeasurement& measured) {
  if (measured.highest != measured.winner) return "; " + choice_text(measured);
  constexpr double kTold = 0.01;  // a smaller difference in agreement is noise
  const auto agreement = [&](size_t i) { return measured.candidates[i].error.argmax_agreement.value_or(0); };
  for (size_t i = 0; i < measured.candidates.size(); ++i)
    if (measured.candidates[i].error.samples == measured.samples && agreement(i) >= agreement(measured.winner) + kTold)
      return {"; chosen by SQNR: argmax agreement is ",
              percent(agreement(measured.winner)),
              ", with ",
              measured.candidates[i].calibrator,
              " ",
              percent(agreement(i))};
  return {};
}

/// Returns the indices of the candidates: the winner, and those measured on most samples by their score.
std::vector<size_t> ranked(const CalibratorMeasurement& measured) {
  std::vector<size_t> order(measured.candidates.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) {
    const auto& candidate = measured.candidates[i];
    return std::tuple(i == measured.winner, candidate.error.samples, candidate.score_db);
  });
  return order;
}

/// Returns "mse 32.35 dB, then percentile:99.99 32.15 dB, samplemax:50 31.49 dB, 8 more". The score of a candidate that
/// was given up on fewer samples has no place among the others.
Words ranking(const CalibratorMeasurement& measured) {
  constexpr size_t kRanked = 4;
  const std::vector<size_t> order = ranked(measured);
  const auto comparable = static_cast<size_t>(std::ranges::count_if(measured.candidates, [&](const Candidate& one) {
    return one.error.samples == measured.candidates[order.front()].error.samples;
  }));
  const size_t shown = std::min(comparable, kRanked);
  Words words;
  for (size_t i = 0; i < shown; ++i) {
    const auto& candidate = measured.candidates[order[i]];
    words += {i == 0 ? "" : i == 1 ? ", then " : ", ", candidate.calibrator, " ", decibels(candidate.score_db, 2)};
  }
  return order.size() > shown ? Words{words, ", ", count(order.size() - shown), " more"} : words;
}

document::Grid candidates_table(const CalibratorMeasurement& measured) {
  document::Grid table{.id = "choice-table",
                       .label = "Candidates for the calibrator",
                       .columns = {{"Calibrator", Kind::Name},
                                   {"Mean SQNR", Kind::Number, "Of the worst output: " + std::string(kScoreMeaning)},
                                   {"", Kind::Chart}},
                       .mark = "taken",
                       .search = false,
                       .noun = "candidate",
                       .scale = Scale{.form = Scale::Form::Position},
                       .detail = true};
  const std::vector<ErrorMetric> agreements = agreements_of(measured.candidates);
  for (const ErrorMetric& one : agreements)
    table.columns.push_back({one.metric.label, Kind::Number, one.metric.meaning});
  table.columns.push_back({"Samples", Kind::Minor, "Number of samples it was measured on"});
  for (const size_t i : ranked(measured)) {
    const Candidate& candidate = measured.candidates[i];
    Cell chart{Words()};
    chart.marks = {candidate.score_db};
    document::Grid::Row row{.cells = {Words(candidate.calibrator), decibels(candidate.score_db, 2), chart},
                            .marked = i == measured.winner};
    for (const ErrorMetric& agreement : agreements)
      row.cells.emplace_back(percent((candidate.error.*agreement.value).value_or(kNone)));
    row.cells.emplace_back(count(candidate.error.samples));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Lists values whose scales were imported.
document::Grid scales_table(const std::vector<QuantizeReport::QuantizedValue>& values) {
  document::Grid table{.id = "value-scales",
                       .label = "Search values",
                       .columns = {{"Value", Kind::Name},
                                   {"From", Kind::Number, "Least value that is kept"},
                                   {"To", Kind::Number, "Largest value that is kept"},
                                   {"Scale", Kind::Number, "Size of one step"},
                                   {"Zero point", Kind::Minor, "Code of the value 0"},
                                   {"Scale group", Kind::Minor, "Values of one group share their scale"}},
                       .heading = "values and their ranges",
                       .noun = "value",
                       .detail = true};
  constexpr int kDigits = 6;
  for (const auto& value : values)
    table.rows.push_back(
        {{name(value.name), significant(value.min, kDigits), significant(value.max, kDigits),
          significant(value.scale, kDigits), fixed(value.zero_point, 0), value.group ? count(*value.group) : Words()}});
  return table;
}

}  // namespace

Section outliers(const OutlierReport& report) {
  Section section{Topic::Samples, {}};
  const auto& found = report.samples;
  if (report.all.empty() || report.values == 0 ? found.empty() : false) return section;
  std::vector<Part>& parts = section.parts;
  const size_t shown = std::min(found.size(), kOutliersShown);
  for (size_t i = 0; i < shown; ++i)
    parts.push_back(
        Line{{name(found[i].sample), " alone sets the range of ", count(found[i].values), " of ",
              count(report.values, "value"), ", up to ", times(found[i].ratio), " times the median sample"}});
  if (!found.empty() && report.policy == "clip")
    parts.push_back(Line{{"ranges are clipped to what the other samples reach (", code("--policy outliers=clip"), ")"},
                         Role::Detail});
  if (!found.empty() && report.policy == "drop")
    parts.push_back(Line{{"left out of the calibration (", code("--policy outliers=drop"), ")"}, Role::Detail});
  if (found.size() > shown)
    parts.push_back(Line{{count(found.size() - shown, "more sample"), " like these"}, Role::Statement, Where::Text});
  if (report.all.empty() || report.values == 0) return section;
  if (found.empty())
    parts.push_back(
        Line{{"None of ", count(report.all.size(), "calibration sample"), " alone sets the range of many values."},
             Role::Lead});
  parts.emplace_back(Drawing{&report});
  parts.emplace_back(samples_table(report));
  return section;
}

Section choice(const std::optional<CalibratorMeasurement>& measured) {
  Section section{Topic::Choice, {}};
  if (!measured || measured->candidates.empty()) return section;
  section.parts = {
      Line{{"measured ", count(measured->candidates.size(), "calibrator"), " on ", measured_on(*measured), " in ",
            seconds(measured->seconds), ", mean SQNR: ", ranking(*measured), why_taken(*measured)}},
      candidates_table(*measured)};
  return section;
}

Section values(document::Histograms view) {
  Section section{Topic::Values, {}};
  if (!view.values->empty()) section.parts.emplace_back(Drawing{std::move(view)});
  return section;
}

Section scales(const std::vector<QuantizeReport::QuantizedValue>& values, bool imported) {
  Section section{Topic::Values, {}};
  if (values.empty()) return section;
  document::Grid table = scales_table(values);
  if (imported)
    section.parts.push_back(
        Line{{count(values.size(), "value"), " with imported scales, whose distribution is unknown."}, Role::Lead});
  else
    table.id = "";  // the histograms show them
  section.parts.emplace_back(std::move(table));
  return section;
}

Section detections(const std::optional<DetectionPictures>& shown) {
  Section section{Topic::Detections, {}};
  if (shown && !(shown->pictures.empty() && shown->scores.empty())) section.parts.emplace_back(Drawing{&*shown});
  return section;
}

Section provenance(const Provenance& provenance, const std::optional<FloatReport>& floats) {
  Section section{Topic::Provenance, {}};
  if (provenance.producer.empty()) return section;
  // Weights alone have none; with scales at run time the fingerprint is that of nothing.
  const bool pairs = provenance.ranges.find_first_not_of('0') != std::string::npos;
  Words samples;
  if (provenance.samples > 0)
    samples = count(provenance.samples, "sample");
  else if (pairs)
    samples = "imported scales";
  const auto typed = [](const std::string& text) { return text.empty() ? Words() : code(text); };
  section.parts = {
      Line{"From the file's metadata. The same model, samples and options give the same ranges and digest.",
           Role::Lead},
      Properties{"provenance-table",
                 {{"Producer", provenance.producer},
                  {"Target", provenance.target},
                  {"Calibrator", pairs ? Words(provenance.calibrator) : Words()},
                  {"Ranges", pairs ? typed(provenance.ranges) : Words()},
                  {pairs ? "Calibrated with" : "Rounded with", samples},
                  {"Sample digest", pairs && provenance.samples > 0 ? typed(provenance.sample_digest) : Words()},
                  {"Floats", floats ? Words{floats->type, " where values allow it"} : Words()},
                  {"Options", provenance.options.empty() ? "the target's defaults" : provenance.options},
                  {"Float model by", provenance.source_producer}},
                 Where::Page}};
  return section;
}

}  // namespace detent::build
