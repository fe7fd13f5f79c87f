#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "detent/compare.h"
#include "detent/lint.h"
#include "detent/repair.h"
#include "report/document/words.h"
#include "report/table.h"

namespace detent::document {

/// Renderers that print a part. A part stands in one alone only where it repeats what another part says there, or
/// explains how to read the form.
enum class Where : uint8_t { Both, Text, Page };

/// A sentence on a separate line. One without words is left out.
struct Line {
  enum class Role : uint8_t {
    Statement,
    Note,     ///< one of a list of remarks; texts begin it with "note: " and say similar ones once
    Detail,   ///< of the statement before it
    Apart,    ///< a Statement behind a blank line in texts
    Beside,   ///< of a verdict: a Statement that pages list below it
    Heading,  ///< of what follows, in texts
    Lead      ///< below the title of a section, in pages
  };
  Words words;
  Role role = Role::Statement;
  Where where = Where::Both;
  bool detail = false;  ///< texts print it only where everything is listed

  [[nodiscard]] bool stands_in(Where form) const { return !words.empty() && (where == Where::Both || where == form); }
};

/// Meaning of a tag, which decides its colour.
enum class Tone : uint8_t { None, Codes, Float, Usual, Doubtful, Broken };

struct Cell {
  Words words;
  double key = std::numeric_limits<double>::quiet_NaN();  ///< what pages sort by; of a single number its value
  Words reason = {};                                      ///< below the words, in pages
  Tone tone = Tone::None;                                 ///< pages show the words as a tag
  std::string meaning = {};                               ///< tooltip in pages
  std::string op = {};             ///< operator of the node that the words name; pages show it behind them
  std::string link = {};           ///< id of another place of the page, which tells more
  std::vector<double> marks = {};  ///< in a column of charts: where the series of the scale stand; NaN: nowhere

  Cell(Words text) : words(std::move(text)) {  // NOLINT(google-explicit-constructor)
    if (words.spans().size() == 1 && words.spans().front().look == Span::Look::Figure)
      key = words.spans().front().number.value;
  }
  Cell(Words text, Words why) : Cell(std::move(text)) { reason = std::move(why); }
};

/// A row of a table as a sentence: texts print rows that say the same of several names as one line.
struct Item {
  Words lead;   ///< "float"
  Words name;   ///< the names of alike rows are listed
  Words after;  ///< " (Conv)"
  std::string rule = {}, reason = {};
  Words otherwise = {};  ///< on a second line
  std::optional<int> scale_group = {};
  std::string overruled = {};  ///< the rule that wanted otherwise, where everything is listed
  double part = 0;             ///< of Grid::whole; the parts of alike rows are added
  bool detail = false;         ///< only where everything is listed
  std::string key = {};        ///< equal for alike rows; empty: rows that say the same are alike
};

/// Scale of a column of charts, which pages draw, and texts if it has bars. The numbers stand in other columns.
struct Scale {
  enum class Form : uint8_t {
    Dots,      ///< on a grid, with a line from the reference, or from the first series, to the next one
    Position,  ///< one dot on a line
    Bar        ///< from 0 on
  };
  struct Series {
    std::string look;  ///< class of the dots: "alone", "but", "before", "after"
    Words meaning;     ///< in the key
  };
  Form form = Form::Dots;
  std::vector<Series> series = {};
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< a line through all rows; NaN: none
  Words reference_meaning = {};                                 ///< in the key
  bool low_is_bad = true;    ///< far outliers at the low end lie beyond the axis, else those at the high end
  bool logarithmic = false;  ///< from 1 on
};

/// Rows of cells. Pages print the columns; texts print them too, or the item of each row if rows have items. The
/// numbers of the columns follow the item if everything is listed.
struct Grid {
  struct Row {
    std::vector<Cell> cells = {};
    std::vector<Item> item = {};  ///< none or one
    bool marked = false;          ///< the row is the best one, which Grid::mark says
    bool quiet = false;           ///< hidden by the filter of pages
    bool apart = false;           ///< no candidate: below the others in pages, above them in texts
  };
  std::string id = {};     ///< in pages; empty: the table is no part of pages
  std::string label = {};  ///< "Search layers"
  std::vector<Table::Column> columns = {};
  std::vector<Row> rows = {};
  Words heading = {}, heading_of_all = {};  ///< in texts, above the first line; the second where everything is listed
  Words folded = {};                        ///< pages fold the table under these words
  std::string mark = {};                    ///< "best"
  std::string filter = {};                  ///< word of the filter of pages that hides quiet rows
  bool search = true;                       ///< pages search it
  bool capped = false;                      ///< pages show the first 15 rows at first
  bool by_reason = false;                   ///< pages show one row of each reason, and all rows folded
  bool exact = false;                       ///< only rows of equal reasons are alike, not those that differ in names
  std::string noun = "node";                ///< of the rows
  double whole = 0;                         ///< of Item::part; 0: parts are not shown
  std::string of_whole = "of MACs";         ///< in words
  size_t most = 0;                          ///< lines of capped texts; 0: all
  size_t names = 3;                         ///< of alike rows, in capped texts
  std::optional<Scale> scale = {};          ///< of the column of charts
  bool detail = false;                      ///< texts print it only where everything is listed
};

/// Labels with values. Rows without words are left out.
struct Properties {
  struct Property {
    std::string label;
    Words words;
  };
  std::string id;  ///< in pages
  std::vector<Property> rows;
  Where where = Where::Both;
};

/// Findings of lint, worst first.
struct Findings {
  std::vector<LintReport::Finding> findings;
};

/// Parts of wholes, as bars.
struct Bars {
  struct Bar {
    std::string label;
    int64_t part = 0, whole = 0;
    Unit unit = Unit::Plain;
  };
  std::vector<Bar> bars;
  std::string what;  ///< of the parts: "in INT8"
  Where where = Where::Both;
};

/// Large numbers with labels, which repeat the most important ones of the lines.
struct Figures {
  struct Figure {
    Words number;
    Words label;
    Words detail = {};
  };
  std::vector<Figure> figures;
};

/// A graph with its pairs and findings.
struct Graph {
  const PlanReport* plan = nullptr;
  std::vector<LintReport::Finding> findings = {};
};

/// Graphs before and after a repair.
struct RepairedGraphs {
  const RepairReport* report = nullptr;
};

/// Histograms of values with their ranges.
struct Histograms {
  const std::vector<ValueHistogram>* values = nullptr;
  const PlanReport* plan = nullptr;
  std::string best = {};                              ///< the calibrator whose range is highlighted
  std::map<std::string, double> own_sqnr_db = {};     ///< of values by name, after their pair; empty: not measured
  std::map<std::string, std::string> encodings = {};  ///< a sentence about the encoding by name; may be empty
};

/// Points of two measures, whose numbers stand in a table.
struct Scatter {
  struct Point {
    double x = 0, y = 0;  ///< not a number: it is not drawn; `x` may be infinite
    Words words = {};     ///< tooltip
    Words label = {};     ///< beside it; may be empty
    bool marked = false;  ///< Scatter::mark says why
  };
  Words x_title = {}, y_title = {};
  Words at_infinity = {};        ///< where points with an infinite `x` stand
  std::string label = {};        ///< "Milliseconds over SQNR of 18 calls", for readers of screens
  Words mark = {}, others = {};  ///< meanings of marked points and of the others, in the key
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< a horizontal line; NaN: none
  Words reference_meaning = {};                                 ///< in the key
  std::vector<Point> points = {};
};

/// A drawing that stands in pages alone. It points into the report.
using Drawing =
    std::variant<Graph, RepairedGraphs, Histograms, const OutlierReport*, const DetectionPictures*, Scatter>;

using Part = std::variant<Line, Grid, Findings, Bars, Figures, Properties, Drawing>;

/// Sections of all documents, in the order in which pages print them.
enum class Topic : uint8_t {
  Model,  ///< its lines are facts of the head in pages
  Pairs,
  Findings,
  Layers,
  Predictions,
  Against,
  Blame,
  Candidates,
  Sensitivity,
  Weights,
  Latency,
  Detections,
  Samples,
  Choice,
  Accuracy,
  Equalization,
  Error,
  Scores,
  Coverage,
  Quantizers,
  Floats,
  Values,
  Graph,
  Placement,
  Equalizable,
  Provenance
};

/// Name of a section in pages.
struct TopicTitle {
  const char *id, *title, *link;
};
[[nodiscard]] const TopicTitle& title_of(Topic topic);

struct Section {
  Topic topic;
  std::vector<Part> parts;
};

/// A report as a tree. Texts print the head, the sections in their order and the verdict, terminals the verdict first;
/// pages print head and verdict, and the sections in the order of Topic. Texts without a file have no head.
struct Document {
  Words subject;              ///< "Placement"
  std::string title;          ///< of the page's window: "placement"
  std::string file;           ///< that the report is about
  std::vector<Words> facts;   ///< beside its name
  Words aside = {};           ///< another fact, behind a gap in texts
  Words warning = {};         ///< in front of everything else in all forms; most documents have none
  std::vector<Line> verdict;  ///< the first statement, and what pages list below it
  Figures figures;
  std::vector<Section> sections;
  std::vector<Document> members = {};  ///< documents of a report of several reports; texts print them first
};

}  // namespace detent::document
