#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "detent/detent.h"
#include "equalize/choose_factors.h"
#include "model/model.h"
#include "pipeline/equalize_request.h"
#include "pipeline/prepare_model.h"

namespace detent {

/// Channels are measured on as many samples as a short pass allows: one that fires on one image in a hundred would be taken
/// for a small one.
inline constexpr size_t kRangeSamples = 256;

/// Equalization of one prepared model: its groups, and the ranges of their channels.
class Equalizer {
 public:
  /// Finds groups and runs `samples` once to measure channels.
  /// inputs  of one batch: shapes come from it, and every patch is checked on it.
  Equalizer(const Model& model, std::span<const Tensor> inputs, const DataSource& samples, const RunSettings& settings,
            const FactorOptions& options);

  [[nodiscard]] bool has(EqualizeFamily family) const;
  /// Factors of the families in `items`; of a model with none of them nothing. Where rounding the weights once moves an output by
  /// more than a quarter of what check_same_outputs allows, and for half types, factors are powers of two, which round nothing.
  [[nodiscard]] Equalization equalization(const std::vector<EqualizeItem>& items) const;
  /// A copy of the model, equalized and checked.
  /// Errors  Internal when an output changed by more than rounding.
  [[nodiscard]] Model equalized(const Equalization& equalization) const;

  /// What the report says of families (none kept) and of the values in `equalization`.
  [[nodiscard]] std::vector<EqualizeReport::Family> describe_families() const;
  [[nodiscard]] std::vector<EqualizeReport::Value> describe_values(const Equalization& equalization) const;
  /// Groups that a Clip holds back, as sentences.
  [[nodiscard]] std::vector<std::string> notes(const Equalization& equalization) const;

 private:
  const Model& model_;
  std::span<const Tensor> inputs_;
  FactorOptions options_;
  NamedOutputs before_;  ///< of the model on inputs_
  /// Which of the two analyses serves the items: with Act among them values are tied otherwise.
  [[nodiscard]] const std::vector<ChannelGroup>& groups_for(bool behind_activations) const {
    return behind_activations ? groups_behind_ : groups_;
  }
  [[nodiscard]] Equalization with_factors(const std::vector<EqualizeItem>& items, bool powers_of_two) const;
  [[nodiscard]] bool rounds_too_much(const Equalization& equalization) const;
  [[nodiscard]] const std::vector<ChannelGroup>& groups_of(EqualizeFamily family) const {
    return groups_for(family == EqualizeFamily::Act);
  }

  std::vector<ChannelGroup> groups_, groups_behind_;
  ChannelRanges ranges_;
};

/// Mean SQNR of the outputs in dB of each model quantized, against the float model: [model][calibrator].
using EqualizeJudge = std::function<std::vector<std::vector<double>>(std::span<const Model> models)>;

struct EqualizeOutcome {
  Equalization equalization;
  EqualizeReport report;
};

/// Chooses what is asked for and applies it to `model`, in place.
///
/// auto    families in the order of kEqualizeFamilies, each with alpha 0.5 and 0.75 on top of what was kept before; the better on
///         average over the calibrators is kept where none of them falls. Factors that are judged come from other samples than
///         the deciding ones; those that are kept are then chosen from all.
/// source  the calibration data: channels are measured on 256 samples of it, those whose names have the smallest hash.
/// judge   called under auto only.
[[nodiscard]] EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request,
                                             std::span<const Tensor> inputs, const DataSource& source,
                                             const RunSettings& settings, const FactorOptions& options,
                                             const EqualizeJudge& judge);

/// Applies a known equalization to `model`, in place, checked on `inputs` where there are any (see apply_absorption for shifts).
/// Errors  TableMismatch when it is of another model; Internal when an output changed.
void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs);

/// The samples that decide: 32, those whose names have the smallest hash.
[[nodiscard]] std::vector<size_t> deciding_samples(const DataSource& source);
/// Up to `most` others, to measure with what the deciding ones judge: factors and ranges cut to the judged samples would flatter
/// even channels, all of which come near their largest. Fewer than 8 others -> the deciding ones.
[[nodiscard]] std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most);

}  // namespace detent
