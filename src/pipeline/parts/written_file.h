#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "detent/external_data.h"
#include "model/model.h"

namespace detent {

[[nodiscard]] WriteOptions write_options(bool overwrite, ExternalData where);

/// To be asked as soon as something is known of the size, before work is done in vain. `least_bytes` is called where everything
/// is to stay in one file, and says what that takes at least. Errors  CannotWrite when protobuf cannot hold it.
void check_one_file(const std::filesystem::path& output, ExternalData where,
                    const std::function<uint64_t()>& least_bytes);

/// Bytes of the model file and of the data beside it that it refers to.
[[nodiscard]] uint64_t written_bytes(const std::filesystem::path& model);

}  // namespace detent
