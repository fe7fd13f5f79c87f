#pragma once

#include <optional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/equalize_report.h"
#include "equalize/channel_range.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "exec/same_outputs.h"
#include "model/model.h"
#include "tune/equalize/request.h"

namespace detent {

/// Equalization of one prepared model: its groups, and the ranges of their channels.
class Equalizer {
 public:
  /// Finds groups and runs `samples` once to measure channels.
  /// inputs  of one batch: shapes come from it, and every patch is checked on it.
  Equalizer(const Model& model, std::span<const Tensor> inputs, const DataSource& samples, const RunSettings& settings,
            const FactorOptions& options);

  [[nodiscard]] bool has(EqualizeFamily family) const;
  /// Factors of the families in `items`; of a model with none of them nothing. Where rounding the weights once moves an
  /// output by more than a quarter of the bound of changed_output(), and for half types, factors are powers of two,
  /// which round nothing.
  [[nodiscard]] Equalization equalization(const std::vector<EqualizeItem>& items) const { return tried(items).factors; }
  /// What equalization(items) changes at the outputs by more than rounding, which it should not; nullopt: nothing.
  [[nodiscard]] std::optional<OutputChange> change_by(const std::vector<EqualizeItem>& items) const {
    return tried(items).change;
  }
  /// A copy of the model with equalization(items); as it is where that would change an output.
  [[nodiscard]] Model equalized(const std::vector<EqualizeItem>& items) const;

  /// The report's lines for the families (none kept) and for the values in `equalization`.
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
  /// The factors to take for the items, the model with them, and what is wrong with it.
  struct Tried {
    Equalization factors;
    std::optional<Model> model;  ///< nullopt without factors
    std::optional<OutputChange> change;
  };
  [[nodiscard]] Tried tried(const std::vector<EqualizeItem>& items) const;
  [[nodiscard]] Equalization with_factors(const std::vector<EqualizeItem>& items, bool powers_of_two) const;
  [[nodiscard]] Model patched(const Equalization& equalization) const;
  [[nodiscard]] const std::vector<ChannelGroup>& groups_of(EqualizeFamily family) const {
    return groups_for(family == EqualizeFamily::Act);
  }

  std::vector<ChannelGroup> groups_, groups_behind_;
  ChannelRanges ranges_;
};

/// Applies a known equalization to `model`, in place, checked on `inputs` where there are any.
/// Errors  TableMismatch when it is of another model; Internal when an output changed.
void apply_equalization(Model& model, const Equalization& equalization, std::span<const Tensor> inputs);

}  // namespace detent
