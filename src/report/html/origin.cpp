#include "report/html/origin.h"

#include "report/html/markup.h"
#include "report/quantities.h"

namespace detent::html {
namespace {

std::string origin_row(const char* label, const std::string& markup) {
  return "<tr><th scope=\"row\">" + std::string(label) + "</th><td>" + markup + "</td></tr>";
}

/// "detent 0.1.0, ONNX 1.22.0": lines as a list.
std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) text.replace(at, 1, ", ");
  return escape(text);
}

}  // namespace

std::string origin_section(const PageOrigin& origin) {
  std::string rows;
  if (!origin.command.empty()) rows += origin_row("Command", "<code>" + escape(origin.command) + "</code>");
  if (!origin.model.empty()) rows += origin_row("Model", escaped_file_name(origin.model));
  if (!origin.files.sha256.empty())
    rows += origin_row("SHA-256 of its file", "<code>" + escape(origin.files.sha256) + "</code>");
  for (const auto& file : origin.files.weights)
    rows += origin_row("Weights beside it", escaped_file_name(file.location) + ", " +
                                                bytes_text(static_cast<double>(file.bytes)) + ", digest <code>" +
                                                escape(file.digest) + "</code>");
  for (const auto& data : origin.data)
    if (!data.digest.empty())
      rows += origin_row(data.use.c_str(),
                         plural(data.samples, "sample") + ", digest <code>" + escape(data.digest) + "</code>");
  if (!origin.versions.empty()) rows += origin_row("Versions", in_one_line(origin.versions));
  if (!origin.date.empty()) rows += origin_row("Date", escape(origin.date));
  if (rows.empty()) return {};
  return "<section id=\"origin\"><h2>This page</h2><p class=\"lead\">What it was made with." +
         std::string(origin.date.empty() ? " It bears no date, for nobody asked for one." : "") +
         "</p><table id=\"origin-table\"><tbody>" + rows + "</tbody></table></section>\n";
}

}  // namespace detent::html
