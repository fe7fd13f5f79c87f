#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/external_data.h"
#include "detent/options/float_types.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"

namespace detent {

/// Options of `detent cast`.
struct CastModelOptions {
  std::filesystem::path model, output;
  DataOptions data;
  FloatType type = FloatType::Fp16;  ///< Fp32 is refused
  IoType io = IoType::Keep;
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
};

struct CastReport {
  std::string model, output;
  size_t samples = 0;  ///< on which the float ranges were measured
  FloatReport floats;
  CoverageReport coverage;           ///< of the written model; nothing of it is INT8
  std::optional<ErrorReport> error;  ///< of the written model against FP32, on the same samples
  uint64_t bytes_before = 0, bytes_after = 0;
  double seconds = 0;
};

/// Writes a float model whose nodes compute in a 16-bit type where the measured values allow it. It has no pairs.
/// Errors  Usage for FP32 and without data; those of reading, running and writing; Internal when the written model
///         outputs NaN or Inf where the float model does not.
[[nodiscard]] DETENT_API CastReport cast_model(const CastModelOptions& options);

}  // namespace detent
