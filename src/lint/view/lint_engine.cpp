#include "lint/view/lint_engine.h"

namespace detent {

bool has_word(std::string_view words, std::string_view id) {
  for (size_t at = words.find(id); at != std::string_view::npos; at = words.find(id, at + 1)) {
    const size_t end = at + id.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return !id.empty();
  }
  return false;
}

const LintEngine& lint_engine(Engine engine) {
#define DETENT_LINT(id, home) &home::lint_definition(),
  static const PerEngine<const LintEngine*> list{DETENT_ENGINES(DETENT_LINT)};
#undef DETENT_LINT
  return *list[engine];
}

}  // namespace detent
