#include "datasets/base/csv.h"

#include <algorithm>

#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// Reads one record of `text` at `at`, which moves behind its line end. A quoted field may hold line ends.
std::vector<std::string> take_record(const std::string& text, size_t& at, size_t& line, const std::string& file) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  bool was_quoted = false;
  const size_t first_line = line;
  const auto finish = [&] {
    if (!was_quoted) fields.back() = trimmed(fields.back());
    was_quoted = false;
  };
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"')
        fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        quoted = false;
    } else if (c == '"' && trimmed(fields.back()).empty() && !was_quoted) {
      fields.back().clear();
      quoted = was_quoted = true;
    } else if (c == ',') {
      finish();
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (!was_quoted) {
      fields.back() += c;
    }
  }
  if (quoted)
    throw Error(ErrorCode::InvalidData, file + ": line " + std::to_string(first_line) + ": a quote is never closed");
  finish();
  return fields;
}

}  // namespace

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::string read_text(const std::filesystem::path& path) {
  std::string text = FileBytes::open(path)->content();
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

int CsvTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

CsvTable read_csv(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  CsvTable table;
  size_t at = 0;
  size_t line = 1;
  while (at < text.size()) {
    const size_t record_line = line;
    std::vector<std::string> fields = take_record(text, at, line, path.string());
    if (fields.size() == 1 && fields.front().empty()) continue;
    if (table.columns.empty()) {
      table.columns = std::move(fields);
      continue;
    }
    if (fields.size() != table.columns.size())
      throw Error(ErrorCode::InvalidData, path.string() + ": line " + std::to_string(record_line) + " has " +
                                              std::to_string(fields.size()) + " fields, the header has " +
                                              std::to_string(table.columns.size()));
    table.rows.push_back(std::move(fields));
  }
  if (table.columns.empty()) throw Error(ErrorCode::InvalidData, path.string() + ": the file is empty");
  return table;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = trimmed(std::string_view(text).substr(at, end - at));
    if (!line.empty()) lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

std::vector<FileLabel> read_labels(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  const int file = table.column("file");
  const int label = table.column("label");
  if (file < 0 || label < 0)
    throw Error(ErrorCode::InvalidData,
                path.string() + ": the header lacks a column '" + (file < 0 ? "file" : "label") + "'",
                "the first line must name the columns: file,label");
  std::vector<FileLabel> labels;
  for (const auto& row : table.rows) {
    const std::string& text = row[as_index(label)];
    const std::string& name = row[as_index(file)];
    const auto number = parse_number<int64_t>(text);
    if (!number)
      throw Error(ErrorCode::InvalidData,
                  path.string() + ": the label '" + text + "' of " + name + " is not a whole number");
    labels.push_back({name, *number});
  }
  if (labels.empty()) throw Error(ErrorCode::InvalidData, path.string() + ": holds no labels");
  return labels;
}

}  // namespace detent
