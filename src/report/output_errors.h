#pragma once

#include <string>
#include <vector>

#include "detent/reports/error_report.h"

namespace detent {

/// The outputs, the lowest SQNR first, then integers by their share of equal elements, then those that are exact, then
/// those that FP32 leaves at 0; of equals as they were.
[[nodiscard]] std::vector<ErrorReport::Output> worst_first(std::vector<ErrorReport::Output> outputs);

/// Not one element differs.
[[nodiscard]] bool is_exact(const ErrorReport::Output& output);

/// "SQNR 45.1 dB, cosine 0.99997, argmax agreement 99.9 %", "3 of 1600 elements differ", "exact", "0 throughout in
/// FP32".
[[nodiscard]] std::string output_error_text(const ErrorReport::Output& output);

/// "SQNR 32.4 dB, cosine 0.99975", of several outputs "SQNR 45.1 dB at 'mask', the worst of 3 outputs".
/// Empty  "no output could be compared".
[[nodiscard]] std::string worst_error_text(const ErrorReport& error);

/// "the output", "the worst output".
[[nodiscard]] std::string the_output(const std::vector<ErrorReport::Output>& outputs);

/// "a", "a and b", "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// "max and mse score the same within the noise of 24 samples", or that no other candidate does. A clause.
[[nodiscard]] std::string ties_text(const std::vector<std::string>& ties, size_t samples);

}  // namespace detent
