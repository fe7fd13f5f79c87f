#pragma once

#include <functional>

#include "model/model.h"

namespace detent {

/// write_model(), and a look at the file before it gets its name.
///
/// check   is given the path of the whole file; where it throws, nothing is left and nothing replaced. Behind the name
/// the file is no
///         longer surely this one: another process may have written it too.
/// Errors  those of write_model and of `check`.
void write_shown_model(const Model& model, const std::filesystem::path& path, const WriteOptions& options,
                       const std::function<void(const std::filesystem::path& written)>& check);

}  // namespace detent
