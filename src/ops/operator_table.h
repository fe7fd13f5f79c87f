#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "ops/operator.h"

namespace detent {

/// make(row) for every row of a family's own table: an array, since OperatorDef has no default to be filled in later.
template <class Row, size_t count, class Make>
constexpr std::array<OperatorDef, count> definitions_of(const Row (&rows)[count], Make make) {
  return [&]<size_t... i>(std::index_sequence<i...>) { return std::array<OperatorDef, count>{make(rows[i])...}; }
  (std::make_index_sequence<count>());
}

/// The definitions of `first`, then those of `second`.
template <size_t a, size_t b>
constexpr std::array<OperatorDef, a + b> joined(const std::array<OperatorDef, a>& first,
                                                const std::array<OperatorDef, b>& second) {
  return [&]<size_t... i, size_t... j>(std::index_sequence<i...>, std::index_sequence<j...>) {
    return std::array<OperatorDef, a + b>{first[i]..., second[j]...};
  }
  (std::make_index_sequence<a>(), std::make_index_sequence<b>());
}

}  // namespace detent
