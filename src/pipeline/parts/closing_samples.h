#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "evaluate/closing_error.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/identified_samples.h"

namespace detent {

/// The samples that the closing error is measured on, and what FP32 makes of them. Looks at data that must outlive it.
struct ClosingSamples {
  std::vector<std::unique_ptr<DataSource>> held;  ///< opened or chosen for this
  std::unique_ptr<IdentifiedSamples> source;  ///< looks at these or at the calibration data; nullptr: there is no data
  std::string what;  ///< "evaluation samples", "samples that were not calibrated with", "calibration samples"
  ReferenceOutputs reference = {};

  /// Runs the float model.
  /// Errors  those of keep_outputs.
  void keep_reference(const Model& float32, const RunSettings& run);
  /// Compares a quantized model with it; nullopt without data.
  /// Errors  those of measure_closing_error.
  [[nodiscard]] std::optional<ClosingError> error_of(const Model& model, const RunSettings& run) const;
  /// How many of the samples that were read so far have the content of one of `known`. Names say nothing: the same file
  /// may be reached through another folder.
  [[nodiscard]] size_t count_read(const std::vector<TableSample>& known) const;
};

/// All samples of --eval where it is given. Else some that were not calibrated with, where there are 8: of those beyond
/// --limit, or of those of the data whose content the table does not list. Else some of those of the calibration. They
/// are the ones whose names have the smallest hash: a folder that is sorted by class begins with one class.
/// Cost  16 to
/// QuantizeOptions::error_samples samples, as many as 10e9 multiply-accumulates or a tenth of the calibration pay for.
/// Errors  those of open_data, and of reading samples that a table is asked about.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeOptions& options, const Prepared& prepared,
                                             const Measured& measured);

/// All samples of --eval where it is given, else up to `error_samples` of `data`; nullptr: none.
/// Errors  those of
/// open_data.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeWeightsOptions& options, const DataSource* data,
                                             const Graph& graph);

}  // namespace detent
