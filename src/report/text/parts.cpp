#include <filesystem>

#include "core/text.h"
#include "report/text/text.h"

namespace detent {

std::string model_line(const std::string& model, const PlanReport& plan, const std::string& target) {
  return std::filesystem::path(model).filename().string() + "  opset " + std::to_string(plan.opset) + ", " +
         plural(plan.nodes, "node") + "     target " + target;
}

std::string skipped_text(size_t samples) {
  return samples == 0 ? "" : "skipped " + plural(samples, "unreadable sample") + "\n";
}

std::string more_outputs_text(size_t count) {
  return count > 0 ? "  and " + plural(count, "output") + " that are no worse\n" : "";
}

}  // namespace detent
