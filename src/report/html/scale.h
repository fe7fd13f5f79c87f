#pragma once

#include <string>
#include <vector>

#include "report/document/document.h"
#include "report/html/axis.h"

namespace detent::html {

/// Draws the column of charts of a table with a scale.
class ScaleDrawing {
 public:
  /// Fits the axis to the finite marks of all rows and to the reference. Far outliers at the bad end lie beyond it.
  explicit ScaleDrawing(const document::Grid& table);

  /// Returns the labels of the scale, for the head of the column; "" for a form without them.
  [[nodiscard]] std::string head() const;
  /// Draws the marks of a row; one beyond the axis is an arrowhead.
  [[nodiscard]] std::string chart(const std::vector<double>& marks) const;
  /// Returns the meaning of the marks, and of arrowheads if there are any; "" where nothing needs one.
  [[nodiscard]] std::string key() const;

 private:
  [[nodiscard]] std::string dots(const std::vector<double>& marks) const;
  [[nodiscard]] double placed(double value) const;

  const document::Scale& scale_;
  Axis axis_;
  std::vector<double> ticks_;
  bool cut_ = false;
};

}  // namespace detent::html
