#include "lint/view/finding.h"

namespace detent {

std::string_view name_of(FindingLevel level) {
  switch (level) {
    case FindingLevel::Error: return "error";
    case FindingLevel::Warning: return "warning";
    case FindingLevel::Note: break;
  }
  return "note";
}

void FindingLog::add(const std::string& node, const std::string& message, const std::string& cure,
                     std::vector<NodeId> layers, std::optional<FindingLevel> level) {
  const FindingLevel own = level.value_or(level_);
  if (own != FindingLevel::Note) explained_.insert(layers.begin(), layers.end());
  findings_.push_back({id_, own, node, message, cure, std::move(layers)});
}

}  // namespace detent
