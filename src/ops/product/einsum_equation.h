#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detent/tensor.h"

namespace detent {

/// An axis by its letter; the axes behind an ellipsis count from kEllipsis, the last of them first.
using Label = int;
inline constexpr Label kEllipsis = 256;

/// An Einsum equation, "ij,jk->ik": letters a-z and A-Z, ellipses, blanks anywhere, the result may be left out.
class EinsumEquation {
 public:
  /// Errors  InvalidModel saying what is wrong with the text.
  explicit EinsumEquation(std::string_view text);

  [[nodiscard]] size_t operand_count() const { return operands_.size(); }
  /// One label per axis of operand i, whose rank is `rank`. Errors  InvalidData when the rank does not fit.
  [[nodiscard]] std::vector<Label> labels(size_t i, size_t rank) const;
  /// Labels of the result when ellipses stand for `ellipsis_axes` axes at most. Without a written result: the ellipsis,
  /// then the letters that occur once, in the order of the alphabet (capitals first).
  [[nodiscard]] std::vector<Label> result(size_t ellipsis_axes) const;
  /// Axes that the ellipsis of operand i stands for; 0 when it has none.
  [[nodiscard]] size_t ellipsis_axes(size_t i, size_t rank) const;

 private:
  /// Labels with kEllipsis standing for the whole ellipsis.
  using Term = std::vector<Label>;
  static Term parse_term(std::string_view text);
  static std::vector<Label> expand(const Term& term, size_t ellipsis_axes);

  std::vector<Term> operands_;
  Term result_;
};

}  // namespace detent
