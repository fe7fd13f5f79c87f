#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace detent {

/// A table for people, which texts (report/text) and pages (report/html) print.
struct Table {
  enum class Kind : uint8_t {
    Name,        ///< flush left: what a row is about; pages sort by it
    Title,       ///< the same in no order
    Words,       ///< flush left; pages sort by it
    MinorWords,  ///< the same, of less weight in pages
    Plain,       ///< flush left, in no order
    Number,      ///< flush right; pages sort by Cell::key
    Minor,       ///< a number of less weight in pages
    Tag,         ///< pages alone: a word that sorts by Cell::key
    Chart        ///< pages alone
  };
  struct Column {
    std::string head;  ///< in pages markup
    Kind kind = Kind::Number;
    std::string meaning = {};  ///< what pages say of the column when it is pointed at
    /// Of texts, in characters: as wide as the longest cell, but at least and at most this. 0: at least as wide as the
    /// head.
    size_t width = 0, most = std::numeric_limits<size_t>::max();
  };
  struct Cell {
    std::string text;  ///< in pages markup; where it is a whole <td>, kind and key do not count
    double key = 0;
  };
  struct Row {
    std::vector<Cell> cells = {};  ///< of the first columns, or of all
    std::string badge = {};        ///< why the row stands out: "best"; texts put a star in front of it
    std::string behind = {};       ///< of texts: what follows the cells
    std::string attributes = {};   ///< of pages: of the row, with a blank in front
  };
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::vector<Row> foot = {};  ///< of pages
  std::string margin = "  ";   ///< of texts: in front of every line
};

using Kind = Table::Kind;

}  // namespace detent
