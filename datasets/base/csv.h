#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// A comma-separated file with a header line. Fields may be quoted ("a,b", "" for a quote), line ends are LF or CRLF; a
/// byte order mark and empty lines are skipped.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`

  /// Returns the position of a column; -1 when there is none.
  [[nodiscard]] int column(std::string_view name) const;
};

/// Reads a table.
/// Errors  InvalidData naming file and line: unreadable, empty, a row of another length, an open quote.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path);

/// Returns the text without surrounding blanks and line ends.
[[nodiscard]] std::string trimmed(std::string_view text);

/// Reads a text file without its byte order mark.
/// Errors  InvalidData when it cannot be read or exceeds --max-memory.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Returns the lines of a text file without line ends and surrounding blanks; empty ones are left out.
/// Errors  InvalidData when it cannot be read.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

/// The label of an image.
struct FileLabel {
  std::string file;  ///< as written: relative to the images' folder (--labels) or to the list (--data LIST.csv)
  int64_t label = 0;
};

/// Reads the columns `file` and `label` of a .csv in the order of the file; other columns are ignored.
/// Errors  InvalidData naming the file: a column is missing, a label is not a whole number, there are no rows.
[[nodiscard]] std::vector<FileLabel> read_labels(const std::filesystem::path& path);

}  // namespace detent
