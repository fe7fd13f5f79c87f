#include "report/html/page.h"

#include "report/html/markup.h"
#include "report/html/page_texts.h"
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

// The policy has the browser refuse whatever would be fetched, should a page ever ask for it.
std::string head(const std::string& model, const char* subject) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         html::escaped_file_name(model) + " \u2013 " + subject + "</title>\n<style>\n" + std::string(html::kPageStyle) +
         "</style>\n</head>\n<body>\n<main>\n";
}

std::string page_of(const std::string& head, const std::string& summary, const std::vector<Part>& parts) {
  std::string page = head + summary + navigation(parts);
  for (const Part& part : parts) page += part.html;
  return page +
         "</main>\n<footer>Written by Detent. Nothing in this file is fetched from elsewhere.</footer>\n<script>\n" +
         std::string(html::kPageScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace

std::string to_html(const ComparisonReport& comparison, const std::optional<SensitivityReport>& sensitivity) {
  return page_of(head(comparison.model, "comparison of calibrators"), html::summary_section(comparison),
                 {{"candidates", "Candidates", html::candidates_section(comparison)},
                  {"coverage", "Coverage", html::coverage_section(comparison.plan.coverage)},
                  {"equalization", "Equalization", html::equalization_section(comparison.equalized)},
                  {"sensitivity", "Sensitivity", sensitivity ? html::sensitivity_section(*sensitivity) : std::string()},
                  {"values", "Values", html::values_section(comparison, sensitivity ? &*sensitivity : nullptr)},
                  {"placement", "Placement", html::placement_section(comparison.plan)}});
}

std::string to_html(const SensitivityReport& sensitivity) {
  ComparisonReport values;
  values.plan = sensitivity.plan;
  values.values = sensitivity.histograms;
  return page_of(head(sensitivity.model, "sensitivity of layers"), html::summary_section(sensitivity),
                 {{"sensitivity", "Sensitivity", html::sensitivity_section(sensitivity)},
                  {"coverage", "Coverage", html::coverage_section(sensitivity.plan.coverage)},
                  {"equalization", "Equalization", html::equalization_section(sensitivity.equalized)},
                  {"values", "Values", html::values_section(values, &sensitivity)},
                  {"placement", "Placement", html::placement_section(sensitivity.plan)}});
}

}  // namespace detent
