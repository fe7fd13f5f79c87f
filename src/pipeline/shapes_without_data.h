#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/placement_plan.h"

namespace detent {

/// Shapes of inputs by name, from --shape.
using InputShapes = std::map<std::string, std::vector<int64_t>>;

/// Shapes of every value that can run: declared input sizes, an open batch as 1, the rest from `given`; from one run on
/// zeros. nullopt when some size is open.
/// Errors  InvalidOption for a name that is no input or an extent that the model fixes otherwise; those of running.
[[nodiscard]] std::optional<ValueShapes> shapes_without_data(const Graph& graph, const InputShapes& given);

/// What a report says in that case.
inline constexpr std::string_view kOpenSizes =
    "input sizes are open: give --shape NAME=1,3,224,224 to have MACs and bytes counted";

}  // namespace detent
