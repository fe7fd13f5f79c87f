#include "lint/view/finding.h"

#include "core/text.h"
#include "lint/view/lint_engine.h"

namespace detent {

std::optional<FindingLevel> FindingKind::level(Engine engine) const {
  const FindingLevels& levels = lint_engine(engine).levels;
  if (has_word(levels.errors, id)) return FindingLevel::Error;
  if (has_word(levels.warnings, id)) return FindingLevel::Warning;
  if (has_word(levels.notes, id)) return FindingLevel::Note;
  return std::nullopt;
}

std::optional<FindingLevel> FindingKind::level(const Target& target) const {
  if (strongly_typed_only() && !target.strongly_typed) return std::nullopt;
  if (condition && !(target.*condition)) return std::nullopt;
  return level(target.engine.id);
}

}  // namespace detent
