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
#include "pipeline/parts/closing_steps.h"
#include "pipeline/parts/identified_samples.h"

namespace detent {

/// The samples of the closing error and FP32's outputs for them. Looks at data that must outlive it.
struct ClosingSamples {
  std::vector<std::unique_ptr<DataSource>> held;  ///< sources opened or chosen for this
  std::unique_ptr<IdentifiedSamples> source;      ///< looks at these or at the calibration data; nullptr: no data
  std::string what;                               ///< "evaluation samples"; empty: their content decides (text())
  std::string suffix;                             ///< " without the clipped outliers", ...
  std::optional<ClosingSteps> steps = {};         ///< where samples are cut into steps; `source` has all of them
  ReferenceOutputs reference = {};

  /// Runs the float model and keeps its outputs.
  /// Errors  those of keep_outputs.
  void keep_reference(const Model& float32, const RunSettings& run);
  /// Compares a quantized model with the float model; nullopt without data. With steps both are fed by their own
  /// states. Errors  those of measure_closing_error and ClosingSteps::error_of.
  [[nodiscard]] std::optional<ClosingError> error_of(const Model& model, const RunSettings& run) const;
  /// Says what they are: evaluation samples, calibration samples, samples outside the calibration set, or samples of
  /// both kinds. known  the calibration samples; empty: not known. Call it once they were read.
  [[nodiscard]] std::string text(const std::vector<TableSample>& known) const;
  /// Returns how many of the samples that were read so far have the content of one of `known`. Names do not count: the
  /// same file may be reached through another folder.
  [[nodiscard]] size_t count_read(const std::vector<TableSample>& known) const;

 private:
  /// The same, of steps one by one.
  [[nodiscard]] size_t count_known(const std::vector<TableSample>& known) const;
};

/// Chooses all samples of --eval where it is given. Otherwise samples of another content than the calibration samples,
/// where there are 8: of those beyond --limit, or beside a table. Otherwise calibration samples, and with them up to 8
/// that alone reach an end of some range (samples_of_extremes). Takes those with the smallest name hashes, because
/// folders may be sorted by class. Of samples that are cut into steps all
/// steps are judged. Cost    16 to QuantizeOptions::error_samples samples: as many as 10e9
/// multiply-accumulates or a tenth of the
///         calibration pay for.
/// Errors  those of open_data, and of reading samples to compare them with a table.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeOptions& options, const Prepared& prepared,
                                             const Measured& measured);

/// Chooses all samples of --eval where it is given, else up to `error_samples` of `data`; nullptr: none.
/// Errors  those of open_data.
[[nodiscard]] ClosingSamples closing_samples(const QuantizeWeightsOptions& options, const RequestedSamples& requested,
                                             const DataSource* data, const Model& model);

}  // namespace detent
