#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/external_data.h"
#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "detent/reports/kept_pairs.h"
#include "detent/reports/plan_report.h"

namespace detent {

/// Options of `detent cast`.
struct CastModelOptions {
  std::filesystem::path model, output;
  DataOptions data;
  FloatType type = FloatType::Fp16;  ///< Fp32 is refused
  IoType io = IoType::Keep;
  /// Of pairs around 16-bit nodes; without a value FP32 where activations have UINT8 codes, else the 16-bit type.
  std::optional<PlacementOptions::Scales> scales;
  std::vector<std::string> exclude;  ///< nodes whose name matches stay FP32, as NodeChoice::exclude
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
};

struct CastReport {
  std::string model, output;
  size_t samples = 0;  ///< on which the float ranges were measured; 0: pairs and weights bounded them
  FloatReport floats;
  std::optional<KeptPairs> pairs;    ///< absent for a float model
  CoverageReport coverage;           ///< of the written model
  std::optional<ErrorReport> error;  ///< of the written model against the one before, on the same samples
  uint64_t bytes_before = 0, bytes_after = 0;
  double seconds = 0;
};

/// Writes a model whose nodes compute in a 16-bit type where the measured values allow it. Pairs of the model stay,
/// with every code and zero point; their scales get the type or stay FP32. A model with pairs needs no data: scales and
/// weights then bound its values.
/// Errors  InvalidOption for an expression of `exclude` that does not parse or matches no node; Usage for FP32, and for
/// a float model without data; InvalidModel for a model whose operators compute with
///         codes (QLinearConv); those of reading, running and writing; Internal when the written model outputs NaN or
///         Inf where the model before does not.
[[nodiscard]] DETENT_API CastReport cast_model(const CastModelOptions& options);

}  // namespace detent
