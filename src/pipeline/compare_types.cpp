#include <string>

#include "core/stop.h"
#include "detent/compare.h"
#include "model/model.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/compared_types.h"
#include "pipeline/parts/plan_report.h"
#include "place/targets/target.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/weight_bytes.h"

namespace detent {

ComparisonReport compare_types(const CompareOptions& options) {
  const StopScope stop(options.run.stop);
  check_types(options);
  const Model reference = read_float_model(options.model);
  const ModelFacts facts = facts_of(reference);
  const CandidateJudge judge(options, reference.graph(), reference);

  ComparisonReport report;
  report.model = options.model.string();
  report.target = find_target(options.target).spec();
  report.plan.model = report.model, report.plan.target = report.target;
  report.plan.opset = facts.opset, report.plan.nodes = facts.nodes;

  // each type quantized once, then all on the same samples
  Candidates candidates = make_typed_candidates(options, report);
  judge.judge(report, candidates, reference, std::to_string(candidates.names.size()) + " types");

  TypeComparison types{.model_bytes = facts.bytes};
  for (const auto& [type, bytes] : weight_bytes_by_type(reference.graph())) types.weight_bytes += bytes;
  hold_against_limit(options.types, report, types);
  report.types = std::move(types);
  if (options.judged) options.judged(report);
  return report;
}

}  // namespace detent
