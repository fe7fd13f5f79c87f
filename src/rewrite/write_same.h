#pragma once

#include <filesystem>
#include <functional>

#include "model/model.h"

namespace detent {

/// Writes the model, reads the file back before it gets its name, compares it with the model and passes it to `check`.
/// Errors  CannotWrite; Interrupted before anything was written; Internal when it reads back different; those of
/// `check`. After an error no file is left, and an older one stays.
void write_same(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                const std::function<void(const Model& back)>& check = {});

}  // namespace detent
