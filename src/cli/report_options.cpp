#include "cli/report_options.h"

#include <fmt/chrono.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "core/files/atomic_file.h"
#include "core/parse.h"
#include "core/shown_text.h"
#include "detent/error.h"
#include "detent/model_files.h"
#include "detent/version.h"

namespace detent::cli {

namespace {

constexpr const char* kReportGroup = "Report";

bool names_json_file(const std::string& argument) {
  if (argument == "-" || argument.ends_with(".json")) return true;
  if (argument.starts_with("-") || argument.ends_with(".onnx") || argument.ends_with(".dct")) return false;
  std::error_code ignored;
  return !std::filesystem::exists(argument, ignored);
}

/// "2026-11-23 04:47 UTC"; "" where nobody asked, or for no date.
std::string asked_date() {
  const char* seconds = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (!seconds) return {};
  const auto since = parse_number<int64_t>(seconds);
  constexpr int64_t kYear9999 = 253402300799;
  if (!since || *since < 0 || *since > kYear9999) return {};
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(*since)));
}

}  // namespace

void ReportOptions::check() const {
  if (!json.empty() && !json_on_stdout()) check_writable(json, overwrite);
  if (html == "-") throw Error(ErrorCode::Usage, "--html needs a FILE: only --json can go to standard output");
  if (!html.empty()) check_writable(html, overwrite);
}

void ReportOptions::write_json(const std::function<std::string()>& document) const {
  if (json.empty()) return;
  if (json_on_stdout())
    std::fputs(document().c_str(), stdout);
  else
    write_file(json, document(), overwrite);
}

void ReportOptions::write_html(const std::function<std::string()>& page) const {
  if (!html.empty()) write_file(html, page(), overwrite);
}

PageOrigin ReportOptions::origin(const std::filesystem::path& model) const {
  if (html.empty()) return {};
  return {command, version_text(), model.string(), digest_model_files(model), {}, asked_date()};
}

void ReportOptions::print(const std::string& text) const {
  if (!json_on_stdout()) std::fputs(shown_text(text, Lines::Keep).c_str(), stdout);
}

void add_json_option(CLI::App& app, ReportOptions& options, const std::string& group) {
  app.add_option_function<std::string>(
         "--json",
         [&options](const std::string& value) {  // "true" and "false" stand in configuration files
           options.json = value == "true" ? "-" : value == "false" ? "" : value;
         },
         "Write the report as one JSON document to FILE; alone or with - to standard output, instead of the text")
      ->type_name("[FILE|-]")
      ->group(group);
}

void add_html_option(CLI::App& app, ReportOptions& options, const std::string& content) {
  app.add_option("--html", options.html, "Write the report as one HTML page: " + content)
      ->type_name("FILE.html")
      ->group(kReportGroup);
}

void add_report_overwrite(CLI::App& app, ReportOptions& options, const std::string& files) {
  app.add_flag("--overwrite", options.overwrite, "Replace " + files + " if it exists")->group(kReportGroup);
}

void add_all_option(CLI::App& app, ReportOptions& options, const std::string& lists) {
  app.add_flag("--all", options.all, "List every " + lists + "; without it lines that say the same are one")
      ->group(kReportGroup);
}

std::vector<std::string> with_json_values(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      result.insert(result.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    if (arguments[i] != "--json")
      result.push_back(arguments[i]);
    else if (i + 1 < arguments.size() && names_json_file(arguments[i + 1]))
      result.push_back("--json=" + arguments[++i]);
    else
      result.emplace_back("--json=-");
  }
  return result;
}

}  // namespace detent::cli
