#pragma once

#include <optional>
#include <span>

#include "equalize/choose_factors.h"
#include "model/model.h"
#include "place/plan/placement_plan.h"
#include "tune/equalize/branch_ruined.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/fold_judge.h"

namespace detent {

/// The least that the outputs have to gain for the time that a Mul in front of products takes, in dB of score_db().
inline constexpr double kLeastBranchGainDb = 1;

/// True when products that R15 would keep float are to find their scales at run time, and there may be such.
[[nodiscard]] bool may_branch_products(const Graph& graph, const PlacementPlan& plan, const JudgeOptions& judged);

/// Evens out the data of products with scales at run time where 8 bits ruin what some of them read (ruined_readers): a
/// Mul in front of each MatMul and Gemm whose data have channels kOutlierImbalance times as large as the others, and no
/// node that could take the factors. Makes `model` `plain` with these factors and those of `evened`.
///
/// Kept   where the outputs gain kLeastBranchGainDb on other samples than those that show the channels, with scales at
///        run time before and after. Two exponents are tried.
/// evened  the equalization of `model` so far; its report gets the line of the family, and comes back as it is where
///         nothing is ruined.
/// Fewer than kFewestToJudge samples -> nothing is done.
/// Errors  those of Equalizer and of the judges.
[[nodiscard]] std::optional<EqualizedModel> branch_products(Model& model, Model plain,
                                                            std::optional<EqualizedModel> evened,
                                                            const EqualizeData& data, const FactorOptions& options,
                                                            const JudgeOptions& judged);

}  // namespace detent
