#pragma once

#include <span>
#include <vector>

#include "detent/detent.h"
#include "pipeline/cross_fit.h"

namespace detent {

/// Channels are measured on as many samples as a short pass allows: one that fires on one image in a hundred would be taken
/// for a small one.
inline constexpr size_t kRangeSamples = 256;
/// What is judged on the deciding samples is measured on as many others.
inline constexpr size_t kMeasuringSamples = 64;
/// `auto` keeps nothing on fewer samples: three parts of five images of text_ppocrv3_det all say that a family gains that loses 1 to 3 dB on
/// five others.
inline constexpr size_t kFewestToJudge = 8;

struct EqualizeOutcome {
  Equalization equalization;
  EqualizeReport report;
};

/// Chooses what is asked for and applies it to `model`, in place.
///
/// auto    chosen by choose_families, judged by CrossFit; the factors of what is kept are then chosen from all samples. Nothing and a note
///         where there are fewer than kFewestToJudge.
/// source  the calibration data: channels are measured on 256 samples of it, those whose names have the smallest hash.
/// judge   called under auto only.
[[nodiscard]] EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request,
                                             std::span<const Tensor> inputs, const DataSource& source,
                                             const RunSettings& settings, const FactorOptions& options,
                                             const FoldJudge& judge);

/// Applies a known equalization to `model`, in place, checked on `inputs` where there are any (see apply_absorption for shifts).
/// Errors  TableMismatch when it is of another model; Internal when an output changed.
void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs);

/// The samples that decide: 32, those whose names have the smallest hash.
[[nodiscard]] std::vector<size_t> deciding_samples(const DataSource& source);
/// Up to `most` others, to measure with what the deciding ones judge: factors and ranges cut to the judged samples would flatter
/// even channels, all of which come near their largest. Fewer than 8 others -> the deciding ones.
[[nodiscard]] std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most);

}  // namespace detent
