#include "report/build/documents.h"

namespace detent::build {

namespace {

using namespace document;

Line wrote_line(const std::string& file, const Words& what) { return Line{{"wrote ", name(file), what}}; }

/// Says how many there are, and lists them; nothing without any.
void add_names(Section& section, const std::vector<std::string>& names, const char* noun, const Words& what) {
  if (names.empty()) return;
  document::Grid table{.columns = {{"", Kind::Name}}, .noun = noun};
  for (const std::string& one : names) table.rows.push_back({{name(one)}});
  section.parts.push_back(Line{{count(names.size(), noun), what, ":"}});
  section.parts.emplace_back(std::move(table));
}

}  // namespace

Document document_of(const CacheExportReport& report) {
  Document document{.subject = "Calibration cache",
                    .title = "calibration cache",
                    .file = report.table,
                    .facts = {{"calibrator ", report.calibrator}},
                    .aside = {"target ", report.target},
                    .verdict = {wrote_line(report.output, {" (", count(report.scales, "scale"), ")"})}};
  if (!report.arguments.empty()) document.verdict.push_back(wrote_line(report.arguments, " (trtexec's arguments)"));
  return document;
}

Document document_of(const CacheImportReport& report) {
  Section scales{Topic::Values, {Line{{"imported ", count(report.imported, "scale")}}}};
  add_names(scales, report.unknown, "name", " of the cache that the model does not have");
  add_names(scales, report.without_scale, "name", " of the cache with scale 0, left out");
  add_names(scales, report.missing, "value", {" to be quantized for ", report.target, " without a scale in the cache"});
  if (report.missing.empty())
    scales.parts.push_back(Line{{"every value to be quantized for ", report.target, " has a scale"}});
  return {.subject = "Calibration cache",
          .title = "calibration cache",
          .file = report.cache,
          .facts = {report.version_line},
          .verdict = {wrote_line(report.output, {})},
          .sections = {scales}};
}

}  // namespace detent::build
