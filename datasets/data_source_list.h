#pragma once

#include <span>

#include "datasets/source_request.h"

namespace detent {

/// Every form, in the order in which they are tried.
[[nodiscard]] std::span<const DataSourceEntry> data_source_list();

}  // namespace detent
