#pragma once

#include <filesystem>
#include <string>

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"

namespace detent {

inline constexpr const char* kDlaTarget = "tensorrt:dla";

/// The files beside a float model for DLA: "OUT.cache" and "OUT.dla.txt" of "OUT.onnx".
struct DlaPaths {
  std::filesystem::path cache, arguments;
};
[[nodiscard]] DlaPaths dla_paths(const std::filesystem::path& output);

/// Writes the calibration cache, with the scale of every range, and trtexec's arguments: precision and device of each
/// layer, and as comments every layer that runs on the GPU with its reason.
/// model  path of the float model that the arguments name
/// Errors  CannotWrite.
DlaFiles write_dla_files(const Graph& graph, const PlacementPlan& plan, const Chosen& chosen,
                         const std::filesystem::path& model, const DlaPaths& paths, bool overwrite);

/// Returns "DLA: 20 layers in INT8, 1 in FP16, 3 on the GPU; ...".
[[nodiscard]] std::string dla_note(const DlaFiles& files);

}  // namespace detent
