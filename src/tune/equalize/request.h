#pragma once

#include <string>
#include <vector>

#include "detent/equalize_options.h"
#include "equalize/equalization.h"

namespace detent {

/// A family to equalize, and how.
struct EqualizeItem {
  EqualizeFamily family = EqualizeFamily::Gate;
  double alpha = 0.5;  ///< exponent of the activations' share
};

/// `--equalize` and `--absorb-bias` as read.
struct EqualizeRequest {
  enum class Mode { Unset, Off, Auto, List } mode = Mode::Unset;
  std::vector<EqualizeItem> items;  ///< of a List, in the order of kEqualizeFamilies, each family once
  enum class Absorb { Unset, Off, On } absorb = Absorb::Unset;

  [[nodiscard]] bool equalizes() const { return mode == Mode::Auto || mode == Mode::List; }
  [[nodiscard]] bool absorbs() const { return absorb == Absorb::On; }
  [[nodiscard]] bool asks() const { return equalizes() || absorbs(); }
};

/// "" -> Unset, "off", "auto", or a list of NAME[:ALPHA], comma separated.
/// Errors  Usage for an unknown name, a family named twice, or an alpha outside [0, 1].
[[nodiscard]] EqualizeRequest parse_equalize(const std::string& text);

/// The same and `--absorb-bias`: "", "off" or "on". Errors  Usage.
[[nodiscard]] EqualizeRequest parse_equalize(const EqualizeOptions& options);

/// The list as it would be written: "gate,relu:0.75"; "off" when it is empty.
[[nodiscard]] std::string to_text(const std::vector<EqualizeItem>& items);

}  // namespace detent
