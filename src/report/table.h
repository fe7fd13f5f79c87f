#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace detent {

/// A table that texts (report/text) and pages (report/html) print.
struct Table {
  enum class Kind : uint8_t {
    Name,        ///< flush left: the subject of a row; pages sort by it
    Title,       ///< a Name without sorting
    Words,       ///< flush left; pages sort by it
    MinorWords,  ///< Words of less importance in pages
    Plain,       ///< flush left, without sorting
    Number,      ///< flush right; pages sort by Cell::key
    Minor,       ///< a Number of less importance in pages
    Tag,         ///< in pages: a word that sorts by Cell::key
    Chart        ///< in pages
  };
  struct Column {
    std::string head;  ///< markup in pages
    Kind kind = Kind::Number;
    std::string meaning = {};  ///< tooltip in pages
    /// Bounds of the width in texts, in characters; 0: at least as wide as the head.
    size_t width = 0, most = std::numeric_limits<size_t>::max();
  };
  struct Cell {
    std::string text;  ///< markup in pages; for a whole <td>, kind and key are ignored
    double key = 0;
  };
  struct Row {
    std::vector<Cell> cells = {};  ///< of the first columns, or of all
    std::string badge = {};        ///< why the row is highlighted: "best"; texts mark it with a star
    std::string attributes = {};   ///< in pages: of the row, starting with a blank
  };
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::vector<Row> foot = {};  ///< in pages
};

using Kind = Table::Kind;

}  // namespace detent
