#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text.h"
#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

std::string model_line(const std::string& model, const PlanReport& plan, const std::string& target) {
  return std::filesystem::path(model).filename().string() + "  opset " + std::to_string(plan.opset) + ", " +
         plural(plan.nodes, "node") + "     target " + target;
}

std::string skipped_text(size_t samples) {
  return samples == 0 ? "" : "skipped " + plural(samples, "unreadable sample") + "\n";
}

std::string expanded_text(const std::map<std::string, int64_t>& operators) {
  return join(operators, ", ", [](const auto& one) { return std::to_string(one.second) + " " + one.first; });
}

std::string more_outputs_text(size_t count) {
  return count > 0 ? "  and " + plural(count, "output") + " that are no worse\n" : "";
}

}  // namespace detent
