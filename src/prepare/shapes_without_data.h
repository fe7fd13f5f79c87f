#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// Shapes of inputs by name, from --shape.
using InputShapes = std::map<std::string, std::vector<int64_t>>;

/// Zeros for every input: declared sizes, an open batch as 1, the rest from `given`. nullopt when some size is open.
/// Errors  InvalidOption for a name that is no input or an extent that the model fixes otherwise.
[[nodiscard]] std::optional<std::vector<Tensor>> inputs_without_data(const Graph& graph, const InputShapes& given);

/// Shapes of every value that can run, from one run on those. nullopt when some size is open.
/// Errors  as above; those of running.
[[nodiscard]] std::optional<ValueShapes> shapes_without_data(const Graph& graph, const InputShapes& given);

/// Shapes at sizes that open ones may have.
struct TrialShapes {
  std::vector<ValueShapes> runs;  ///< each of another size
  std::string missing;            ///< why there is none: "the model declares no rank for 'x'"; else empty
};

/// For what does not depend on sizes, only on ranks and channels: what shapes_without_data says, at up to two sizes
/// that the model runs at. All open extents of all inputs have the same size, but for an open batch (1) and an open
/// axis 1 of an input of rank 3 or more: the channels that a convolution reads there, else 3 at rank 4.
/// Errors  as
/// shapes_without_data; none where the model does not run.
[[nodiscard]] TrialShapes shapes_at_trial_sizes(const Graph& graph, const InputShapes& given);

/// The note of a report where sizes are open.
inline constexpr std::string_view kOpenSizes =
    "input sizes are open: give --shape NAME=1,3,224,224 to have MACs and bytes counted";

}  // namespace detent
