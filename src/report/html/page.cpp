#include "report/html/page.h"

#include <algorithm>
#include <utility>

#include "report/build/documents.h"
#include "report/build/sections.h"
#include "report/compared_types.h"
#include "report/html/document.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"

namespace detent {
namespace {

struct Part {
  const char* id = "";
  const char* title = "";
  std::string html = {};
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

/// Makes a page. `data` is what the report used.
std::string page_of(const std::string& head, const std::string& summary, std::vector<Part> parts, PageOrigin origin,
                    std::vector<PageOrigin::Data> data = {}) {
  origin.data = std::move(data);
  parts.push_back({"origin", "This page", html::origin_section(origin)});
  std::string page = head + summary + navigation(parts);
  for (const Part& part : parts) page += part.html;
  return page +
         "</main>\n<footer>Written by Detent. Nothing in this file is fetched from elsewhere.</footer>\n<script>\n" +
         std::string(html::kPageScript) + "</script>\n</body>\n</html>\n";
}

Part part_of(const document::Section& section) {
  const document::TopicTitle& title = title_of(section.topic);
  return {title.id, title.link, html::section_markup(section)};
}

std::string page_of(const document::Document& document, const PageOrigin& origin,
                    std::vector<PageOrigin::Data> data = {}) {
  std::vector<document::Section> sections = document.sections;
  std::erase_if(sections, [](const auto& section) { return section.topic == document::Topic::Model; });
  std::ranges::stable_sort(sections, {}, &document::Section::topic);
  std::vector<Part> parts;
  for (const document::Section& section : sections) parts.push_back(part_of(section));
  return page_of(head(document.file, document.title), html::header_markup(document), std::move(parts), origin,
                 std::move(data));
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
      head(report.model, "quantization"), html::summary_section(report),
      {{"blame", "Blame", html::blame_section(report.verdict, report.histograms)},
       {"outliers", "Samples", html::outliers_section(report.outliers)},
       {"choice", "Calibrator", html::choice_section(report.measured)},
       {"accuracy", "Accuracy", html::accuracy_section(report.accuracy)},
       {"equalization", "Equalization", html::equalization_section(report.equalized, report.bias_correction)},
       {"error", "Error", html::error_section(report.error)},
       {"detections", "Detections", html::detections_section(report.detections)},
       part_of(build::coverage(plan)),
       part_of(build::floats(report.floats)),
       {"values", "Values",
        report.histograms.empty()
            ? html::scales_section(report.values)
            : html::values_section({report.histograms, plan, report.provenance.calibrator, {}, encodings_of(report)})},
       part_of(build::graph(plan)),
       part_of(build::placement(plan, build::Listed::Everything)),
       {"provenance", "Provenance", html::provenance_section(report.provenance, report.floats)}},
      origin, {{"Calibration data", report.provenance.samples, report.provenance.sample_digest}});
}

std::string to_html(const QuantizeWeightsReport& report, const PageOrigin& origin) {
  return page_of(head(report.model, "weights alone"), html::summary_section(report),
                 {{"weights", "Weights", html::weights_section(report)},
                  {"error", "Error", html::error_section(report.error)},
                  {"provenance", "Provenance", html::provenance_section(report.provenance, std::nullopt)}},
                 origin);
}

static std::string printed_page(const PrintedComparison& comparison,
                                const std::optional<SensitivityReport>& sensitivity, const PageOrigin& origin) {
  return page_of(
      head(comparison.model, "comparison of " + compared_kind(comparison) + "s"), html::summary_section(comparison),
      {{"candidates", "Candidates", html::candidates_section(comparison)},
       {"detections", "Detections", html::detections_section(comparison.detections)},
       {"outliers", "Samples", html::outliers_section(comparison.outliers)},
       part_of(build::coverage(comparison.plan)),
       part_of(build::floats(comparison.plan.floats)),
       {"equalization", "Equalization", html::equalization_section(comparison.equalized)},
       {"sensitivity", "Sensitivity", sensitivity ? html::sensitivity_section(*sensitivity) : std::string()},
       {"values", "Values",
        html::values_section({comparison.values,
                              comparison.plan,
                              comparison.winner,
                              sensitivity ? own_errors(*sensitivity) : Errors{},
                              {}})},
       part_of(build::placement(comparison.plan, build::Listed::Everything)),
       {"provenance", "Provenance", html::provenance_section(comparison.provenance, comparison.plan.floats)}},
      origin,
      {{"Calibration data", comparison.provenance.samples, comparison.provenance.sample_digest},
       {"Evaluation data", comparison.evaluation_samples, comparison.evaluation_digest}});
}

std::string to_html(const CompareCalibratorsReport& report, const PageOrigin& origin) {
  return printed_page(report, report.layers, origin);
}

std::string to_html(const CompareTargetsReport& report, const PageOrigin& origin) {
  return printed_page(report, std::nullopt, origin);
}

std::string to_html(const CompareTypesReport& report, const PageOrigin& origin) {
  return printed_page(report, std::nullopt, origin);
}

std::string to_html(const SensitivityReport& sensitivity, const PageOrigin& origin) {
  const bool pairs = !sensitivity.weights;
  return page_of(
      head(sensitivity.model, "sensitivity of layers"), html::summary_section(sensitivity),
      {{"sensitivity", "Sensitivity", html::sensitivity_section(sensitivity)},
       pairs ? part_of(build::coverage(sensitivity.plan)) : Part{},
       {"equalization", "Equalization", html::equalization_section(sensitivity.equalized)},
       {"values", "Values",
        html::values_section({sensitivity.histograms, sensitivity.plan, "", own_errors(sensitivity), {}})},
       pairs ? part_of(build::placement(sensitivity.plan, build::Listed::Everything)) : Part{}},
      origin,
      {{pairs ? "Calibration data" : "Rounding data", sensitivity.calibration_samples, sensitivity.calibration_digest},
       {"Evaluation data", sensitivity.evaluation_samples, sensitivity.evaluation_digest}});
}

std::string to_html(const PlanReport& plan, const PageOrigin& origin) {
  return page_of(build::document_of(plan), origin, {{"Data", plan.samples, plan.sample_digest}});
}

std::string to_html(const LintReport& report, const PageOrigin& origin) {
  return page_of(build::document_of(report), origin, {{"Data", report.plan.samples, report.plan.sample_digest}});
}

std::string to_html(const ExplainReport& report, const PageOrigin& origin) {
  return page_of(head(report.file, "engine"), html::summary_section(report),
                 {{"layers", "Layers", html::engine_layers_section(report)},
                  {"against", "Against", html::engine_differences_section(report)}},
                 origin);
}

std::string to_html(const RepairReport& report, const PageOrigin& origin) {
  const PlanReport& plan = report.lint.plan;
  return page_of(head(report.model, "repair"), html::summary_section(report),
                 {{"pairs", "Pairs", html::repaired_pairs_section(report)},
                  part_of(build::findings(report.lint)),
                  {"error", "Difference", html::error_section(report.error)},
                  {"scores", "Scores", html::repair_scores_section(report)},
                  part_of(build::coverage(plan)),
                  {"graph", "Graph", html::repaired_graphs_section(report)},
                  part_of(build::placement(plan, build::Listed::Everything))},
                 origin);
}

}  // namespace detent
