#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace detent {

/// A fact about an engine with the address of its source.
struct SourcedFact {
  std::string_view fact;
  std::string_view source;
};

/// Returns the lists one after the other.
template <size_t... N>
constexpr auto facts_of(const std::array<SourcedFact, N>&... lists) {
  std::array<SourcedFact, (N + ...)> all{};
  auto* end = all.begin();
  ((end = std::copy(lists.begin(), lists.end(), end)), ...);
  return all;
}

}  // namespace detent
