#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// A comma-separated file with a header line: fields may be quoted ("a,b", "" for a quote), line ends are LF or CRLF, a
/// byte order mark and empty lines are skipped.
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`

  /// Position of a column; -1 when there is none.
  [[nodiscard]] int column(std::string_view name) const;
};

/// Errors  InvalidData naming file and line: unreadable, empty, a row of another length, an open quote.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path);

/// A text file without its byte order mark. Errors  InvalidData when it cannot be read or is beyond --max-memory.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// The lines of a text file without line ends and surrounding blanks; empty ones are left out.
/// Errors  InvalidData when it cannot be read.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

}  // namespace detent
