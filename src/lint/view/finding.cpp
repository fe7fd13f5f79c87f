#include "lint/view/finding.h"

#include <algorithm>

#include "lint/view/lint_engine.h"

namespace detent {

std::optional<FindingLevel> FindingKind::level(Engine engine) const {
  const FindingLevels& levels = lint_engine(engine).levels;
  const auto has = [this](std::span<const std::string_view> ids) { return std::ranges::find(ids, id) != ids.end(); };
  if (has(levels.errors)) return FindingLevel::Error;
  if (has(levels.warnings)) return FindingLevel::Warning;
  if (has(levels.notes)) return FindingLevel::Note;
  return std::nullopt;
}

std::optional<FindingLevel> FindingKind::level(const Target& target) const {
  if (strongly_typed_only() && !target.strongly_typed) return std::nullopt;
  if (condition && !(target.*condition)) return std::nullopt;
  return level(target.engine.id);
}

}  // namespace detent
