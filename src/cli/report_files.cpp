#include "cli/program.h"

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

void write_json(const ReportOptions& options, const std::function<std::string()>& document) {
  if (!options.file.empty() && options.file != "-") write_file(options.file, document(), options.overwrite);
  if (options.json_on_stdout())
    std::fputs(document().c_str(), stdout);
  else if (!options.json.empty())
    write_file(options.json, document(), options.overwrite);
}

void write_html(const ReportOptions& options, const std::filesystem::path& model, const std::string& command,
                const std::function<std::string(const PageOrigin&)>& page) {
  if (options.html.empty()) return;
  const PageOrigin origin{command, version_text(), model.string(), digest_model_files(model), {}, asked_date()};
  write_file(options.html, page(origin), options.overwrite);
}

void print(const ReportOptions& options, const std::string& text) {
  if (!options.json_on_stdout()) std::fputs(shown_text(text, Lines::Keep).c_str(), stdout);
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
