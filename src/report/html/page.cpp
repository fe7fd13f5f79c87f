#include "report/html/page.h"

#include "core/code_words.h"
#include "report/compared_types.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"

namespace detent {
namespace {

struct Part {
  const char* id;
  const char* title;
  std::string html;
};

std::string navigation(const std::vector<Part>& parts) {
  std::string html;
  for (const Part& part : parts)
    if (!part.html.empty()) html += std::string("<a href=\"#") + part.id + "\">" + part.title + "</a> ";
  return html.empty() ? html : "<nav aria-label=\"Parts of this report\">" + html + "</nav>\n";
}

// The policy makes the browser refuse every fetch.
std::string head(const std::string& model, const std::string& subject) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri "
         "'none'; form-action 'none'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" "
         "href=\"data:,\">\n<title>" +
         html::escaped_file_name(model) + " \u2013 " + subject + "</title>\n<style>\n" + std::string(html::kPageStyle) +
         "</style>\n</head>\n<body>\n<main>\n";
}

/// Makes a page. "INT8" is replaced by `type`, except in the command line. `data` is what the report used.
std::string page_of(std::string_view type, const std::string& head, const std::string& summary, std::vector<Part> parts,
                    PageOrigin origin, std::vector<PageOrigin::Data> data = {}) {
  origin.data = std::move(data);
  const std::string made = html::origin_section(origin);
  std::string page;
  for (const Part& part : parts) page += part.html;
  parts.push_back({"origin", "This page", made});
  page = in_words_of(type, head + summary + navigation(parts) + page);
  return page + made +
         "</main>\n<footer>Written by Detent. Nothing in this file is fetched from elsewhere.</footer>\n<script>\n" +
         std::string(html::kPageScript) + "</script>\n</body>\n</html>\n";
}

using Errors = std::map<std::string, double>;

Errors own_errors(const SensitivityReport& report) {
  Errors errors;
  for (const LocalError& local : report.values) errors[local.value] = local.sqnr_db;
  return errors;
}

/// Describes the encoding of each value: "Scale 0.02371, zero point 0, scale group 2."
std::map<std::string, std::string> encodings_of(const QuantizeReport& report) {
  std::map<std::string, std::string> sentences;
  for (const auto& value : report.values)
    sentences[value.name] = "Scale " + html::number_text(value.scale) + ", zero point " +
                            std::to_string(value.zero_point) +
                            (value.group ? ", scale group " + std::to_string(*value.group) : std::string()) + ".";
  return sentences;
}

}  // namespace

std::string to_html(const QuantizeReport& report, const PageOrigin& origin) {
  PlanReport plan = report.plan;
  plan.notes = report.notes;  // of the plan and of the rewrite
  return page_of(
      name_of(plan.coverage.type), head(report.model, "quantization"), html::summary_section(report),
      {{"blame", "Blame", html::blame_section(report.verdict, report.histograms)},
       {"outliers", "Samples", html::outliers_section(report.outliers)},
       {"choice", "Calibrator", html::choice_section(report.measured)},
       {"accuracy", "Accuracy", html::accuracy_section(report.accuracy)},
       {"equalization", "Equalization", html::equalization_section(report.equalized, report.bias_correction)},
       {"error", "Error", html::error_section(report.error)},
       {"detections", "Detections", html::detections_section(report.detections)},
       {"coverage", "Coverage", html::coverage_section(plan.coverage)},
       {"floats", "16-bit floats", html::floats_section(report.floats)},
       {"values", "Values",
        report.histograms.empty()
            ? html::scales_section(report.values)
            : html::values_section({report.histograms, plan, report.provenance.calibrator, {}, encodings_of(report)})},
       {"graph", "Graph", html::graph_section(plan, {})},
       {"placement", "Placement", html::placement_section(plan)},
       {"provenance", "Provenance", html::provenance_section(report.provenance, report.floats)}},
      origin, {{"Calibration data", report.provenance.samples, report.provenance.sample_digest}});
}

std::string to_html(const QuantizeWeightsReport& report, const PageOrigin& origin) {
  return page_of(title_of(report.format.codes), head(report.model, "weights alone"), html::summary_section(report),
                 {{"weights", "Weights", html::weights_section(report)},
                  {"error", "Error", html::error_section(report.error)},
                  {"provenance", "Provenance", html::provenance_section(report.provenance, std::nullopt)}},
                 origin);
}

std::string to_html(const ComparisonReport& comparison, const std::optional<SensitivityReport>& sensitivity,
                    const PageOrigin& origin) {
  return page_of(
      name_of(comparison.plan.coverage.type),
      head(comparison.model, "comparison of " + compared_kind(comparison) + "s"), html::summary_section(comparison),
      {{"candidates", "Candidates", html::candidates_section(comparison)},
       {"detections", "Detections", html::detections_section(comparison.detections)},
       {"outliers", "Samples", html::outliers_section(comparison.outliers)},
       {"coverage", "Coverage", html::coverage_section(comparison.plan.coverage)},
       {"floats", "16-bit floats", html::floats_section(comparison.plan.floats)},
       {"equalization", "Equalization", html::equalization_section(comparison.equalized)},
       {"sensitivity", "Sensitivity", sensitivity ? html::sensitivity_section(*sensitivity) : std::string()},
       {"values", "Values",
        html::values_section({comparison.values,
                              comparison.plan,
                              comparison.winner,
                              sensitivity ? own_errors(*sensitivity) : Errors{},
                              {}})},
       {"placement", "Placement", html::placement_section(comparison.plan)},
       {"provenance", "Provenance", html::provenance_section(comparison.provenance, comparison.plan.floats)}},
      origin,
      {{"Calibration data", comparison.provenance.samples, comparison.provenance.sample_digest},
       {"Evaluation data", comparison.evaluation_samples, comparison.evaluation_digest}});
}

std::string to_html(const SensitivityReport& sensitivity, const PageOrigin& origin) {
  const bool pairs = !sensitivity.weights;
  const CoverageReport& coverage = sensitivity.plan.coverage;
  return page_of(
      pairs ? name_of(coverage.type) : title_of(sensitivity.weights->codes),
      head(sensitivity.model, "sensitivity of layers"), html::summary_section(sensitivity),
      {{"sensitivity", "Sensitivity", html::sensitivity_section(sensitivity)},
       {"coverage", "Coverage", pairs ? html::coverage_section(coverage) : std::string()},
       {"equalization", "Equalization", html::equalization_section(sensitivity.equalized)},
       {"values", "Values",
        html::values_section({sensitivity.histograms, sensitivity.plan, "", own_errors(sensitivity), {}})},
       {"placement", "Placement", pairs ? html::placement_section(sensitivity.plan) : std::string()}},
      origin,
      {{pairs ? "Calibration data" : "Rounding data", sensitivity.calibration_samples, sensitivity.calibration_digest},
       {"Evaluation data", sensitivity.evaluation_samples, sensitivity.evaluation_digest}});
}

std::string to_html(const PlanReport& plan, const PageOrigin& origin) {
  return page_of(name_of(plan.coverage.type), head(plan.model, "placement"), html::summary_section(plan),
                 {{"coverage", "Coverage", html::coverage_section(plan.coverage)},
                  {"quantizers", "Speed", html::quantizers_section(plan)},
                  {"floats", "16-bit floats", html::floats_section(plan.floats)},
                  {"graph", "Graph", html::graph_section(plan, {})},
                  {"placement", "Placement", html::placement_section(plan)},
                  {"equalizable", "Equalization", html::equalizable_section(plan)}},
                 origin, {{"Data", plan.samples, plan.sample_digest}});
}

std::string to_html(const LintReport& report, const PageOrigin& origin) {
  PlanReport plan = report.plan;
  plan.notes.clear();  // they stand in the summary
  // Findings name their types themselves.
  const auto said = [&](std::string section) { return in_words_of(plan.coverage.type, std::move(section)); };
  return page_of(name_of(CodeType::Int8), head(plan.model, "lint"), said(html::summary_section(report)),
                 {{"findings", "Findings", html::findings_section(report)},
                  {"coverage", "Coverage", said(html::coverage_section(plan.coverage))},
                  {"quantizers", "Speed", html::quantizers_section(plan)},
                  {"graph", "Graph", said(html::graph_section(plan, report.findings))},
                  {"placement", "Placement", said(html::placement_section(plan))}},
                 origin, {{"Data", plan.samples, plan.sample_digest}});
}

std::string to_html(const ExplainReport& report, const PageOrigin& origin) {
  return page_of(name_of(CodeType::Int8), head(report.file, "engine"), html::summary_section(report),
                 {{"layers", "Layers", html::engine_layers_section(report)},
                  {"against", "Against", html::engine_differences_section(report)}},
                 origin);
}

std::string to_html(const RepairReport& report, const PageOrigin& origin) {
  const PlanReport& plan = report.lint.plan;
  return page_of(name_of(CodeType::Int8), head(report.model, "repair"), html::summary_section(report),
                 {{"pairs", "Pairs", html::repaired_pairs_section(report)},
                  {"findings", "Findings", html::findings_section(report.lint)},
                  {"error", "Difference", html::error_section(report.error)},
                  {"scores", "Scores", html::repair_scores_section(report)},
                  {"coverage", "Coverage", html::coverage_section(plan.coverage)},
                  {"graph", "Graph", html::repaired_graphs_section(report)},
                  {"placement", "Placement", html::placement_section(plan)}},
                 origin);
}

}  // namespace detent
