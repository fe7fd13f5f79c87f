#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "detent/compare.h"
#include "detent/reports/provenance.h"
#include "model/graph_patch.h"
#include "model/model.h"
#include "pipeline/parts/chosen.h"
#include "tune/choose_calibrator.h"

namespace detent {

/// The candidates' quantized models, each made once: candidates that are the same model share a variant.
struct Candidates {
  std::vector<std::string> names;
  std::vector<std::string> calibrators;  ///< by candidate: that gave its ranges, what auto chose; "": it has none
  std::vector<double> choosing_seconds;  ///< by candidate
  std::vector<size_t> variant_of;        ///< by candidate
  std::vector<std::map<ValueId, Range>> ranges;  ///< by variant
  std::vector<Model> models;                     ///< by variant; behind them those of the baselines
  std::vector<bool> weights_rounded;             ///< by variant: by what layers read
  std::vector<GraphPatch> constants;             ///< by variant: weights that were rounded, biases that were corrected
  std::vector<double> making_seconds;            ///< by model
  std::vector<Provenance> origins;               ///< by variant, but for the calibrator
  std::vector<std::optional<TypeFacts>> types;   ///< by variant: where types are compared
  std::vector<std::string> baselines;            ///< names of models that an INT8 model must beat

  [[nodiscard]] size_t variants() const { return models.size() - baselines.size(); }
  /// What the file of a candidate would say of its making.
  [[nodiscard]] Provenance origin_of_candidate(size_t candidate) const;
  /// "fp32", then the first name of each variant, then the baselines.
  [[nodiscard]] std::vector<std::string> folder_names() const;
};

/// Names as calibrators call themselves ("percentile" is "percentile:99.99").
/// Errors  Usage for none, and for one that is named twice.
[[nodiscard]] std::vector<std::string> candidate_names(const std::vector<std::string>& specs);

/// Errors  those of choosing, rounding weights, correcting biases and rewriting.
[[nodiscard]] Candidates make_candidates(const std::vector<std::string>& names, const Prepared& prepared,
                                         const Measured& measured, const CompareOptions& options);

/// Fills what the report says of the calibration.
void note_calibration(ComparisonReport& report, const Prepared& prepared, const Measured& measured);

/// The model cast to each 16-bit float type without pairs, as `cast` writes it: "fp16", "bf16". Warns of a type that
/// the model cannot have.
/// Errors  those of reading and running.
void add_baselines(Candidates& candidates, const std::filesystem::path& model, const DataSource& source,
                   const RunSettings& run);

}  // namespace detent
