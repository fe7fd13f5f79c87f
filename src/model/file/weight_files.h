#pragma once

#include <filesystem>

#include "model/file/external_data.h"

namespace detent {

/// Returns the files beside `model` that hold its weights; none for most models.
/// Errors  those of load_external_data; InvalidModel for a file that is no model.
[[nodiscard]] ExternalFiles weight_files(const std::filesystem::path& model);

}  // namespace detent
