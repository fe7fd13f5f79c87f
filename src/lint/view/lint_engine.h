#pragma once

#include <string>
#include <string_view>

#include "place/engines/decided.h"
#include "place/engines/engine_list.h"
#include "place/plan/placement_plan.h"

namespace detent {

class LintView;

/// The findings of an engine by level, as words with blanks between. Every kind whose reach is EveryEngine stands in
/// one of the four; `absent` has those that do not concern the engine.
struct FindingLevels {
  Decided<std::string_view> errors, warnings, notes, absent;
};

struct FindingText {
  std::string_view message, cure;
};

/// Knowledge of `lint` about an engine: one constant for each, in src/lint/engines/NAME/.
struct LintEngine {
  Decided<FindingLevels> levels;
  /// Returns in words why the engine does not run a weighted op in INT8; empty when it does.
  Decided<std::string (*)(const LintView& view, NodeId layer)> obstacle;
  /// True when the rules put a pair on this edge for the op without weights that reads it, not for its neighbour, and
  /// the engine runs that op in INT8. nullptr: it has no such ops.
  Decided<bool (*)(const LintView& view, const EdgeDecision& edge)> belongs_in_int8;
  Decided<FindingText> fp8_refused;  ///< what happens to a file with FP8 pairs; empty: the engine refuses it
};

// The definition of each engine lies in its home.
#define DETENT_LINT(id, home)          \
  namespace home {                     \
  const LintEngine& lint_definition(); \
  }
DETENT_ENGINES(DETENT_LINT)
#undef DETENT_LINT

[[nodiscard]] const LintEngine& lint_engine(Engine engine);

}  // namespace detent
