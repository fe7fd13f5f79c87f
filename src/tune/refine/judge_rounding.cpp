#include "tune/refine/judge_rounding.h"

#include <array>
#include <utility>

#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/evaluate_on_batches.h"
#include "evaluate/judged_batches.h"
#include "run/model_inputs.h"
#include "tune/acceptance.h"

namespace detent {

MeasuredChange judge_rounding(const Model& model, Model nearest, Model rounded, const DataSource& samples,
                              const RunSettings& settings) {
  std::array variants{std::move(nearest), std::move(rounded)};
  const auto take = [&](size_t i) { return std::move(variants[i]); };
  constexpr size_t kKept = size_t{256} << 20;
  const JudgedBatches batches(model, values_to_compare(model, read_first_inputs(samples, settings)), samples, settings,
                              nullptr, kKept, 1);
  const Evaluation evaluation = evaluate_on_batches(variants.size(), take, batches, settings, "judging weights");
  const double before_db = worst_sqnr_db(evaluation.report(0)), after_db = worst_sqnr_db(evaluation.report(1));
  MeasuredChange judged{
      .before_db = before_db, .after_db = after_db, .kept = after_db > before_db, .samples = samples.size()};
  if (!judged.kept) judged.reason = "SQNR " + fall_text(before_db, after_db);
  return judged;
}

}  // namespace detent
