#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/document/document.h"

namespace detent {

/// Collects the numbers of a tree, without the facts beside the name: opset and nodes, which the document of `inspect`
/// has.
class NumbersOf {
 public:
  explicit NumbersOf(const document::Document& tree) { add(tree); }

  [[nodiscard]] const std::vector<document::Number>& numbers() const { return numbers_; }

  void operator()(const document::Line& line) { add(line.words); }
  void operator()(const document::Grid& grid) {
    add(grid.folded);
    for (const auto& row : grid.rows) {
      for (const document::Cell& cell : row.cells) add(cell.words), add(cell.reason);
      for (const document::Item& item : row.item) {
        add(item.name), add(item.after), add(item.otherwise);
        if (item.scale_group) numbers_.push_back({.value = static_cast<double>(*item.scale_group)});
      }
    }
  }
  void operator()(const document::Findings& found) {
    for (const auto& finding : found.findings)
      numbers_.push_back({.value = finding.mac_share, .unit = document::Unit::Share, .digits = 1});
  }
  void operator()(const document::Bars& bars) {
    for (const auto& bar : bars.bars)
      for (const int64_t value : {bar.part, bar.whole})
        numbers_.push_back({.value = static_cast<double>(value), .unit = bar.unit});
  }
  void operator()(const document::Figures& figures) {
    for (const auto& figure : figures.figures) add(figure.number), add(figure.label), add(figure.detail);
  }
  void operator()(const document::Properties& properties) {
    for (const auto& row : properties.rows) add(row.words);
  }
  void operator()(const document::Drawing&) {}

 private:
  void add(const document::Document& tree) {
    add(tree.subject), add(tree.aside);
    for (const document::Line& line : tree.verdict) add(line.words);
    (*this)(tree.figures);
    for (const document::Section& section : tree.sections)
      for (const document::Part& part : section.parts) std::visit(*this, part);
    for (const document::Document& member : tree.members) add(member);
  }
  void add(const document::Words& words) {
    for (const document::Span& span : words.spans())
      if (span.look == document::Span::Look::Figure) add(span.number);
  }
  void add(document::Number number) {
    numbers_.push_back(number);
    if (!number.error) return;
    number.value = *number.error, number.error.reset(), number.bare = true, number.sign = false;
    numbers_.push_back(number);
  }

  std::vector<document::Number> numbers_;
};

/// A number of a JSON document with the names of the members that lead to it: "layers.macs".
using JsonNumber = std::pair<std::string, double>;

/// Adds the numbers of a document, and the lengths of its lists as "NAME.length".
inline void add_numbers(const nlohmann::json& document, const std::string& path, std::vector<JsonNumber>& found) {
  if (document.is_number()) found.emplace_back(path, document.get<double>());
  if (document.is_array()) found.emplace_back(path + ".length", static_cast<double>(document.size()));
  if (document.is_structured())
    for (const auto& [name, member] : document.items())
      add_numbers(member, document.is_array() ? path : path.empty() ? name : path + "." + name, found);
}

}  // namespace detent
