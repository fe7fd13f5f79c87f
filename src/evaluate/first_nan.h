#pragma once

#include <cstddef>
#include <string>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "model/model.h"

namespace detent {

/// Runs the batch of `source` that begins with sample `first` and returns, for a value that holds NaN there, the first
/// node that makes them of inputs without NaN: "node 'log' (Log)"; of an input that holds NaN itself "input 'x'". "" if
/// the value holds none.
/// Errors  those of reading and running.
[[nodiscard]] std::string origin_of_nan(const Model& model, const std::string& value, const DataSource& source,
                                        size_t first, const RunSettings& settings);

/// True for a float tensor with a NaN.
[[nodiscard]] bool holds_nan(const Tensor& tensor);

}  // namespace detent
