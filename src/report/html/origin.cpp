#include "report/html/page.h"
#include "report/html/parts.h"
#include "report/html/sections.h"

namespace detent::html {
namespace {

std::string code(const std::string& text) { return text.empty() ? text : "<code>" + escape(text) + "</code>"; }

/// Joins lines: "detent 0.1.0, ONNX 1.22.0".
std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) text.replace(at, 1, ", ");
  return escape(text);
}

}  // namespace

std::string origin_section(const PageOrigin& origin) {
  std::vector<std::pair<const char*, std::string>> rows{{"Command", code(origin.command)},
                                                        {"Model", escaped_file_name(origin.model)},
                                                        {"SHA-256 of its file", code(origin.files.sha256)}};
  for (const auto& file : origin.files.weights)
    rows.emplace_back("Weights beside it", escaped_file_name(file.location) + ", " + bytes_text(file.bytes) +
                                               ", digest " + code(file.digest));
  for (const auto& data : origin.data)
    if (!data.digest.empty())
      rows.emplace_back(data.use.c_str(), plural(data.samples, "sample") + ", digest " + code(data.digest));
  rows.emplace_back("Versions", in_one_line(origin.versions));
  rows.emplace_back("Date", escape(origin.date));
  const std::string table = properties("origin-table", rows);
  if (table.empty()) return {};
  return section("origin", "This page",
                 std::string("How this page was made.") +
                     (origin.date.empty() ? " It has no date, so that equal runs give equal pages." : ""),
                 table);
}

}  // namespace detent::html
