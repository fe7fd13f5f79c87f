#include "ops/product/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace detent {

namespace {

Error malformed(const std::string& why) { return {ErrorCode::InvalidModel, "attribute equation: " + why}; }

std::string without_blanks(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](unsigned char c) { return !std::isspace(c); });
  return kept;
}

bool has_ellipsis(const std::vector<Label>& term) { return std::ranges::find(term, kEllipsis) != term.end(); }

}  // namespace

EinsumEquation::EinsumEquation(std::string_view given) {
  const std::string text = without_blanks(given);
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  for (size_t begin = 0;;) {
    const size_t comma = left.find(',', begin);
    operands_.push_back(parse_term(std::string_view(left).substr(begin, comma - begin)));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  std::map<Label, int> occurrences;
  for (const Term& term : operands_)
    for (const Label label : term) ++occurrences[label];
  if (arrow != std::string::npos) {
    result_ = parse_term(std::string_view(text).substr(arrow + 2));
    for (const Label label : result_)
      if (std::ranges::count(result_, label) > 1 || (label != kEllipsis && !occurrences.contains(label)))
        throw malformed("the result of '" + text + "' repeats a letter or has one that no operand has");
    return;
  }
  if (occurrences.contains(kEllipsis)) result_.push_back(kEllipsis);
  for (const auto& [label, count] : occurrences)
    if (label != kEllipsis && count == 1) result_.push_back(label);
}

EinsumEquation::Term EinsumEquation::parse_term(std::string_view text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      term.push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && !has_ellipsis(term)) {
      term.push_back(kEllipsis);
      i += 2;
    } else {
      throw malformed("'" + std::string(text) + "' is not a list of letters with at most one ellipsis");
    }
  }
  return term;
}

std::vector<Label> EinsumEquation::expand(const Term& term, size_t ellipsis_axes) {
  std::vector<Label> labels;
  for (const Label label : term) {
    if (label != kEllipsis)
      labels.push_back(label);
    else
      for (size_t i = ellipsis_axes; i-- > 0;) labels.push_back(kEllipsis + static_cast<Label>(i));
  }
  return labels;
}

size_t EinsumEquation::ellipsis_axes(size_t i, size_t rank) const {
  const Term& term = operands_[i];
  const size_t letters = term.size() - (has_ellipsis(term) ? 1 : 0);
  if (has_ellipsis(term) ? rank < letters : rank != letters)
    throw Error(ErrorCode::InvalidData, "operand " + std::to_string(i) + " has rank " + std::to_string(rank) +
                                            ", but the equation gives it " + std::to_string(letters) + " letters");
  return rank - letters;
}

std::vector<Label> EinsumEquation::labels(size_t i, size_t rank) const {
  return expand(operands_[i], ellipsis_axes(i, rank));
}

std::vector<Label> EinsumEquation::result(size_t ellipsis_axes) const { return expand(result_, ellipsis_axes); }

}  // namespace detent
