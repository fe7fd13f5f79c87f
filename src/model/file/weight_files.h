#pragma once

#include <filesystem>

#include "model/file/external_data.h"

namespace detent {

/// The files beside `model` that hold its weights; none for most.
/// Errors  those of load_external_data; InvalidModel for
/// what is no model.
[[nodiscard]] ExternalFiles weight_files(const std::filesystem::path& model);

}  // namespace detent
