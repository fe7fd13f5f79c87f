#pragma once

#include <algorithm>
#include <string_view>

#include "model/graph/graph.h"

namespace detent {

/// The operator between an output of one file and the input of another in their joined graph (joined_models.h). It
/// copies, no constant is folded across it, and rules take it for an unknown operator: what leaves a file stays float.
inline constexpr std::string_view kBoundaryDomain = "detent.files", kBoundary = "FileBoundary";

/// The same operator where the other file reads one frame of the output: its number is the input kFrameInput of the
/// joined graph, and kFrameCount says how many frames there are.
inline constexpr std::string_view kFrameBoundary = "FrameBoundary", kFrameInput = "frame", kFrameCount = "frames";

[[nodiscard]] inline bool is_file_boundary(const Node& node) { return node.domain == kBoundaryDomain; }
[[nodiscard]] inline bool is_frame_boundary(const Node& node) {
  return is_file_boundary(node) && node.op_type == kFrameBoundary;
}

/// True for an output of a file that another file reads.
[[nodiscard]] inline bool feeds_a_file(const Graph& graph, const Value& value) {
  return std::ranges::any_of(value.uses, [&](const Use& use) { return is_file_boundary(graph.node(use.node)); });
}

}  // namespace detent
