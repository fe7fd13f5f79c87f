#include "report/html/page.h"

#include <map>
#include <utility>

#include "report/build/documents.h"
#include "report/html/document.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/sections.h"

namespace detent {
namespace {

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
std::string page_of(const document::Document& document, PageOrigin origin, std::vector<PageOrigin::Data> data) {
  std::map<document::Topic, document::Section> sections;  // several of one topic become one
  for (const document::Section& section : document.sections) {
    if (section.topic == document::Topic::Model) continue;
    auto& whole = sections.try_emplace(section.topic, document::Section{section.topic, {}}).first->second.parts;
    whole.insert(whole.end(), section.parts.begin(), section.parts.end());
  }
  std::string links, body;
  const auto add = [&](const char* id, const char* link, const std::string& part) {
    if (!part.empty()) links += std::string("<a href=\"#") + id + "\">" + link + "</a> ";
    body += part;
  };
  for (const auto& [topic, section] : sections)
    add(title_of(topic).id, title_of(topic).link, html::section_markup(section));
  origin.data = std::move(data);
  add("origin", "This page", html::origin_section(origin));
  if (!links.empty()) links = "<nav aria-label=\"Parts of this report\">" + links + "</nav>\n";
  return head(document.file, document.title) + html::header_markup(document) + links + body +
         "</main>\n<footer>Written by Detent. Nothing in this file is fetched from elsewhere.</footer>\n<script>\n" +
         std::string(html::kPageScript) + "</script>\n</body>\n</html>\n";
}

template <class Report>
std::vector<PageOrigin::Data> data_of(const Report& report) {
  if constexpr (std::derived_from<Report, ComparisonReport>)
    return {{"Calibration data", report.provenance.samples, report.provenance.sample_digest},
            {"Evaluation data", report.evaluation_samples, report.evaluation_digest}};
  else if constexpr (std::same_as<Report, SensitivityReport>)
    return {
        {report.weights ? "Rounding data" : "Calibration data", report.calibration_samples, report.calibration_digest},
        {"Evaluation data", report.evaluation_samples, report.evaluation_digest}};
  else if constexpr (std::same_as<Report, QuantizeReport>)
    return {{"Calibration data", report.provenance.samples, report.provenance.sample_digest}};
  else if constexpr (std::same_as<Report, PlanReport>)
    return {{"Data", report.samples, report.sample_digest}};
  else if constexpr (std::same_as<Report, LintReport>)
    return data_of(report.plan);
  else
    return {};
}

}  // namespace

template <HasPage Report>
std::string to_html(const Report& report, const PageOrigin& origin) {
  return page_of(build::document_of(report), origin, data_of(report));
}

template std::string to_html(const CompareCalibratorsReport&, const PageOrigin&);
template std::string to_html(const CompareTargetsReport&, const PageOrigin&);
template std::string to_html(const CompareTypesReport&, const PageOrigin&);
template std::string to_html(const SensitivityReport&, const PageOrigin&);
template std::string to_html(const QuantizeReport&, const PageOrigin&);
template std::string to_html(const QuantizeWeightsReport&, const PageOrigin&);
template std::string to_html(const PlanReport&, const PageOrigin&);
template std::string to_html(const LintReport&, const PageOrigin&);
template std::string to_html(const RepairReport&, const PageOrigin&);
template std::string to_html(const ExplainReport&, const PageOrigin&);

}  // namespace detent
