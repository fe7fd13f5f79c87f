#include "tune/refine/judge_rounding.h"

#include <utility>
#include <vector>

#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/evaluate_models.h"
#include "run/model_inputs.h"
#include "tune/acceptance.h"

namespace detent {

RoundingJudgement judge_rounding(const Model& model, Model nearest, Model rounded, const DataSource& samples,
                                 const RunSettings& settings) {
  std::vector<Model> variants;
  variants.push_back(std::move(nearest));
  variants.push_back(std::move(rounded));
  const auto names = values_to_compare(model, read_first_inputs(samples, settings));
  const Evaluation evaluation = evaluate_models(variants, {model, names, samples, settings, "judging weights"});
  RoundingJudgement judged{worst_sqnr_db(evaluation.report(0)), worst_sqnr_db(evaluation.report(1)), false, {}};
  judged.kept = judged.after_db > judged.before_db;
  if (!judged.kept) judged.reason = "SQNR " + fall_text(judged.before_db, judged.after_db);
  return judged;
}

}  // namespace detent
