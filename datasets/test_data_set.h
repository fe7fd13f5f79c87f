#pragma once

#include <memory>
#include <string>

#include "datasets/source_request.h"

namespace detent {

/// A test_data_set_N folder or its parent: input_K.pb feeds the model's K-th input. Batches are split as arrays are.
/// Errors  InvalidData when a file is missing, unreadable or does not fit, or inputs hold different numbers of samples.
[[nodiscard]] bool is_test_data_set(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_test_data_set(const SourceRequest& request);

}  // namespace detent
