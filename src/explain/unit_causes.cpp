#include "explain/cause_rules.h"
#include "explain/type_words.h"

namespace detent {

std::optional<Cause> runs_on_cpu(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (layer.unit != "CPU") return std::nullopt;
  return Cause{findings::kOnCpu, "the NPU does not run this " + layer.type + ": the chip's CPU does"};
}

std::optional<Cause> lies_without_pairs(const EngineView& view, size_t index) {
  const ExplainReport::Layer& row = view.row(index);
  if (view.layer(index).unit != "NPU") return std::nullopt;
  if (row.kind == "reformat")
    return Cause{findings::kTypeChange, first_type(view.layer(index).inputs) == "int8"
                                            ? "codes become floats for a layer without a pair behind it"
                                            : "floats become codes behind a layer without a pair"};
  if (!is_float_word(row.arithmetic)) return std::nullopt;
  return Cause{findings::kNoPairAround,
               "a value without a pair is " + row.arithmetic + " on the NPU, and one that it reads or writes has none",
               is_weighted(view.layer(index)) ? cure_of_float(view, index) : Cure{kRepair}};
}

}  // namespace detent
