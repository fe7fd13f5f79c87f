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

/// Returns zeros for every input: declared sizes, an open batch as 1, other open sizes from `given`. nullopt when one
/// stays open.
/// Errors  InvalidOption for a name that is not an input or an extent that the model fixes otherwise.
[[nodiscard]] std::optional<std::vector<Tensor>> inputs_without_data(const Graph& graph, const InputShapes& given);

/// Returns the shapes of every value that can run, from one run on those inputs. nullopt when some size is open.
/// Errors  as above; those of running.
[[nodiscard]] std::optional<ValueShapes> shapes_without_data(const Graph& graph, const InputShapes& given);

/// Shapes at sizes chosen for open extents.
struct TrialShapes {
  std::vector<ValueShapes> runs;  ///< one per size
  std::string missing;            ///< reason when `runs` is empty: "the model declares no rank for 'x'"
};

/// Returns shapes for questions that depend on ranks and channels, not on sizes: shapes_without_data at up to two sizes
/// that the model runs at. All open extents of all inputs have the same size, except an open batch (1) and an open axis
/// 1 of an input of rank 3 or more: the channels that a convolution reads there, else 3 at rank 4.
/// Errors  as shapes_without_data; none when the model does not run.
[[nodiscard]] TrialShapes shapes_at_trial_sizes(const Graph& graph, const InputShapes& given);

/// The note of a report when sizes are open.
inline constexpr std::string_view kOpenSizes =
    "input sizes are open: give --shape NAME=1,3,224,224 to have MACs and bytes counted";

}  // namespace detent
