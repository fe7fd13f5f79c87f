#pragma once

#include <functional>

#include "model/model.h"

namespace detent {

/// Writes as write_model() does, and calls `check` with the path of the whole file before it gets its name: with the
/// name it may be another process's file. No file is left or replaced when `check` throws.
/// Errors  those of write_model and of `check`.
void write_shown_model(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                       const std::function<void(const std::filesystem::path& written)>& check);

}  // namespace detent
