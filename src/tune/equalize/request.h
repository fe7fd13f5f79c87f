#pragma once

#include <string>
#include <vector>

#include "equalize/equalization.h"

namespace detent {

/// A family to equalize, and how.
struct EqualizeItem {
  EqualizeFamily family = EqualizeFamily::Gate;
  double alpha = 0.5;  ///< exponent of the activations' share
};

/// `--equalize` as read.
struct EqualizeRequest {
  enum class Mode { Unset, Off, Auto, List } mode = Mode::Unset;
  std::vector<EqualizeItem> items;  ///< of a List, in the order of kEqualizeFamilies, each family once

  [[nodiscard]] bool equalizes() const { return mode == Mode::Auto || mode == Mode::List; }
};

/// "" -> Unset, "off", "auto", or a list of NAME[:ALPHA], comma separated.
/// Errors  Usage for an unknown name, a family named twice, or an alpha outside [0, 1].
[[nodiscard]] EqualizeRequest parse_equalize(const std::string& text);

/// The list as it would be written: "gate,relu:0.75"; "off" when it is empty.
[[nodiscard]] std::string to_text(const std::vector<EqualizeItem>& items);

}  // namespace detent
