#include "lint/view/lint_engine.h"

namespace detent {

const LintEngine& lint_engine(Engine engine) {
#define DETENT_LINT(id, home) &home::lint_definition(),
  static const PerEngine<const LintEngine*> list{DETENT_ENGINES(DETENT_LINT)};
#undef DETENT_LINT
  return *list[engine];
}

}  // namespace detent
