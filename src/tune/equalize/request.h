#pragma once

#include <string>
#include <vector>

#include "equalize/equalization.h"

namespace detent {

/// A family to equalize.
struct EqualizeItem {
  EqualizeFamily family = EqualizeFamily::Gate;
  double alpha = 0.5;  ///< exponent of the activations' share
};

/// The parsed `--equalize`.
struct EqualizeRequest {
  enum class Mode { Unset, Off, Outliers, Auto, List } mode = Mode::Unset;
  std::vector<EqualizeItem> items;  ///< of a List, in the order of kEqualizeFamilies, each family once

  [[nodiscard]] bool equalizes() const { return mode >= Mode::Outliers; }
};

/// Parses "" (Unset), "off", "outliers", "auto", or a comma-separated list of NAME[:ALPHA].
/// Errors  Usage for an unknown name, a family named twice, or an alpha outside [0, 1].
[[nodiscard]] EqualizeRequest parse_equalize(const std::string& text);

/// Returns the list as it is written on the command line: "gate,relu:0.75"; "off" when it is empty.
[[nodiscard]] std::string to_text(const std::vector<EqualizeItem>& items);

}  // namespace detent
