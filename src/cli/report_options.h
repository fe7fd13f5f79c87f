#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/commands.h"
#include "report/html/origin.h"

namespace detent::cli {

/// Writes the document where `options` want it. Makes it only there.
void write_json(const ReportOptions& options, const std::function<std::string()>& document);
/// Writes the page, made of what it says of its origin, where `options` want one. The page says the command line and the digests of
/// `model`, and the date of the environment's SOURCE_DATE_EPOCH, seconds since 1970, where that is set.
/// Source  reproducible-builds.org/specs/source-date-epoch.
void write_html(const ReportOptions& options, const std::filesystem::path& model, const std::string& command,
                const std::function<std::string(const PageOrigin&)>& page);
/// Prints the text, unless the document goes to standard output.
void print(const ReportOptions& options, const std::string& text);

/// Arguments in which every --json has its value behind an "=". One that stands alone gets "-"; the argument behind it is its FILE
/// when it is "-" or ends in .json, or is no option, nothing that exists and neither model nor table: `plan --json model.onnx`
/// prints, `plan model.onnx --json plan.json` writes.
[[nodiscard]] std::vector<std::string> with_json_values(const std::vector<std::string>& arguments);

}  // namespace detent::cli
