#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "equalize/choose_factors.h"
#include "model/model.h"
#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/fold_judge.h"

namespace detent {

/// Most that the outputs may lose for layers that become INT8, in dB of score_db().
inline constexpr double kMostBranchLossDb = 1;

/// True when the engine runs a Mul behind a normalization in its kernel, and products with a pair read a normalized
/// value that something else reads too (EqualizeFamily::Branch). Nothing is run.
[[nodiscard]] bool may_branch(const Graph& graph, const PlacementPlan& plan, const JudgeOptions& judged,
                              std::span<const Tensor> inputs);

/// Returns the readers of values that 8 bits ruin on the samples (ruined_readers), by name, each with the reason.
[[nodiscard]] std::map<std::string, std::string> ruined_in(const Model& model, const EqualizeData& data,
                                                           const DataSource& samples, const JudgeOptions& judged);

/// Factors of the family Branch that were judged.
struct BranchDecision {
  double alpha = 0;
  const Equalization& factors;
  const AcceptanceReport& judged;
  std::string note;  ///< for the report where they are kept
};

/// Writes the decision into the line of the family, and into the report where no other family is kept. Makes `model`
/// `plain` with the factors and those of `evened` where they are kept.
/// samples  that the factors were measured on
[[nodiscard]] EqualizedModel end_with(const BranchDecision& decision, Model& model, Model plain,
                                      std::optional<EqualizedModel> evened, const Equalizer& equalizer, size_t samples,
                                      std::span<const Tensor> inputs);

/// Makes judges of models whose `kept` nodes stay float.
using JudgeBeside = std::function<FoldJudge(const MeasuredFacts& kept)>;

/// Gives products that R15 would keep float, because 8 bits ruin what a normalization wrote (ruined_readers), a branch
/// of that value with even channels, and makes `model` `plain` with these factors and those of `evened`.
///
/// Kept   where 8 bits do not ruin the branches on the samples that they were measured on, and outputs lose at most
///        kMostBranchLossDb on as many others; before, the products are float. Branches that are ruined are left out.
/// evened  the equalization of `model` so far; its report gets the line of the family, and comes back as it is where
///         nothing is ruined.
/// Fewer than kFewestToJudge samples -> nothing is done.
/// Errors  those of Equalizer and of the judges.
[[nodiscard]] std::optional<EqualizedModel> branch_ruined(Model& model, Model plain,
                                                          std::optional<EqualizedModel> evened,
                                                          const EqualizeData& data, const FactorOptions& options,
                                                          const JudgeOptions& judged, const JudgeBeside& judge);

}  // namespace detent
