#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "detent/reports/provenance.h"
#include "model/model.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/prepared.h"
#include "place/plan/placement_plan.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The plan, ranges and form that a float model is rewritten by. Its members must outlive it.
struct RewriteRequest {
  const PlacementPlan& plan;
  const std::map<ValueId, Range>& ranges;
  const RewriteOptions& format;
  const GraphPatch& constants;  ///< replaced first; may be empty
  bool quantize_outputs = false;
};

/// Returns what the model of a Prepared is rewritten by.
[[nodiscard]] inline RewriteRequest request_of(const Prepared& prepared, const Chosen& chosen) {
  return {prepared.plan, chosen.ranges, chosen.format, chosen.constants, prepared.recipe.placement.quantize_outputs};
}

/// A rewritten model and the promises that its file must keep.
struct RewrittenModel {
  Model model;
  Rewrite rewrite = {};
  PromisedFile promised = {};
  QdqCheckOptions options = {};
  std::vector<std::string> unseen = {};  ///< JudgedFacts::unseen

  /// Errors  those of check_qdq_file.
  void check(const Model& file, const std::filesystem::path& output) const;
  /// Gives graph inputs and outputs the 16-bit type. This is the last change, because errors are measured in FP32.
  void narrow_inputs_and_outputs(DataType type);
};

/// Puts the pairs of a plan into the model, and writes its provenance.
/// before  called with the float graph and the rewrite before the model changes; may be empty
/// Errors  those of make_qdq_patch and apply_patch.
[[nodiscard]] RewrittenModel rewritten(Model model, const RewriteRequest& request, const Provenance& provenance,
                                       const std::function<void(const Graph&, const Rewrite&)>& before = {});

}  // namespace detent
