#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/state/state.h"
#include "model/joined_models.h"

namespace detent {

/// Joins the models of a pipeline (model/joined_models.h) after raising all to the newest of their opsets.
/// Errors  InvalidOption, beginning with `path`, for feeds of values that the models do not have, or whose types, ranks
///         or extents differ, and for feeds in a circle; those of raise_opset, beginning with the model's path.
/// frames  the output that the loop of a transducer reads frame by frame: the input that it feeds has the shape of one
///         frame, with the axis that counts them or without it. nullopt: none
[[nodiscard]] Model join_files(std::vector<NamedModel> models, const std::vector<FileFeed>& feeds,
                               const std::filesystem::path& path, const std::optional<FrameRules>& frames = {});

}  // namespace detent
