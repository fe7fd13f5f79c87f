#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "report/html/origin.h"
#include "report/lists.h"

namespace detent::cli {

/// Where a command's report goes besides the text on stdout, and how long that text gets.
struct ReportOptions {
  std::string json;            ///< a file, "-" for stdout; empty: nowhere
  std::filesystem::path html;  ///< empty: no page
  std::string command;         ///< the command line, for the page
  bool overwrite = false;      ///< these files may exist
  bool all = false;

  [[nodiscard]] bool json_on_stdout() const { return json == "-"; }
  [[nodiscard]] Lists lists() const { return all ? Lists::All : Lists::Capped; }
  /// Before anything is run. Errors  CannotWrite for a file that exists or cannot be made; Usage for a page called "-".
  void check() const;
  /// Writes the document to its file or to stdout; text and page are for the caller. Without --json nothing.
  void write_json(const std::function<std::string()>& document) const;
  void write_html(const std::function<std::string()>& page) const;
  /// What the page says of its making; looks at the model only where a page is written. The date is that of the environment's
  /// SOURCE_DATE_EPOCH, seconds since 1970; without it there is none. Source  reproducible-builds.org/specs/source-date-epoch.
  [[nodiscard]] PageOrigin origin(const std::filesystem::path& model) const;
  /// The text goes to stdout unless the document does.
  void print(const std::string& text) const;
};

/// --json [FILE|-]. Its value is "-" where it stands alone: see with_json_values.
void add_json_option(CLI::App& app, ReportOptions& options, const std::string& group = "Report");
/// --html FILE.
void add_html_option(CLI::App& app, ReportOptions& options, const std::string& content);
/// --overwrite, for commands that write nothing else.
void add_report_overwrite(CLI::App& app, ReportOptions& options, const std::string& files);
/// --all.
void add_all_option(CLI::App& app, ReportOptions& options, const std::string& lists);

/// Arguments in which every --json has its value behind an "=". One that stands alone gets "-"; the argument behind it is its FILE
/// when it is "-" or ends in .json, or is no option, nothing that exists and neither model nor table: `plan --json model.onnx`
/// prints, `plan model.onnx --json plan.json` writes.
[[nodiscard]] std::vector<std::string> with_json_values(const std::vector<std::string>& arguments);

}  // namespace detent::cli
