#pragma once

#include <functional>
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

/// Says which groups may be equalized.
using GroupFilter = std::function<bool(const ChannelGroup&)>;

/// Equalization of one prepared model: its channel groups and the ranges of their channels.
class Equalizer {
 public:
  /// Finds groups and runs `samples` once to measure channels.
  /// inputs  one batch: gives the shapes, and every patch is checked on it.
  /// filter  other groups are left alone and not measured; empty: there are none
  Equalizer(const Model& model, std::span<const Tensor> inputs, const DataSource& samples, const RunSettings& settings,
            const FactorOptions& options, const GroupFilter& filter = {});

  [[nodiscard]] bool has(EqualizeFamily family) const;
  /// True where the family's factors are not all 1; nothing is run.
  [[nodiscard]] bool changes(EqualizeFamily family) const { return !with_factors({{family}}, false).empty(); }
  /// Returns the factors of the families in `items`. They are powers of two, which round nothing, for half types and
  /// where rounding the weights once moves an output by more than a quarter of the bound of changed_output().
  [[nodiscard]] Equalization equalization(const std::vector<EqualizeItem>& items) const { return tried(items).factors; }
  /// Returns the change at the outputs beyond rounding, which should not exist; nullopt: none.
  [[nodiscard]] std::optional<OutputChange> change_by(const std::vector<EqualizeItem>& items) const {
    return tried(items).change;
  }
  /// Returns a copy of the model with equalization(items), or a plain copy where that would change an output.
  [[nodiscard]] Model equalized(const std::vector<EqualizeItem>& items) const;

  /// Returns the report's lines for the families (none kept) and for the values in `equalization`.
  [[nodiscard]] std::vector<EqualizeReport::Family> describe_families() const;
  [[nodiscard]] std::vector<EqualizeReport::Value> describe_values(const Equalization& equalization) const;
  /// Returns a sentence for each group that a Clip holds back.
  [[nodiscard]] std::vector<std::string> notes(const Equalization& equalization) const;

 private:
  const Model& model_;
  std::span<const Tensor> inputs_;
  FactorOptions options_;
  NamedOutputs before_;  ///< of the model on inputs_
  /// Returns the analysis for the items: with Act among them other values share factors.
  [[nodiscard]] const std::vector<ChannelGroup>& groups_for(bool behind_activations) const {
    return behind_activations ? groups_behind_ : groups_;
  }
  /// The factors for the items, the model with them, and its change at the outputs.
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
