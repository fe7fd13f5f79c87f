#include <fmt/core.h>

#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

std::string float_text(const FloatReport& report, Listing& listing) {
  std::string text = fmt::format("{} in {}, {} in float32, {} added\n", plural(report.half_nodes, "node"), report.type,
                                 report.float32_nodes, plural(report.casts, "cast"));
  std::vector<std::string> keys;
  for (const FloatReport::Exception& exception : report.exceptions) keys.push_back(exception.rule + exception.value);
  for (const std::vector<size_t>& group : listing.groups(keys)) {
    std::vector<std::string> names;
    for (const size_t i : group) names.push_back(report.exceptions[i].node + " (" + report.exceptions[i].op_type + ")");
    text += "  float32: " + listing.names(names) + "  " + report.exceptions[group.front()].reason + "\n";
  }
  return text;
}

std::string to_text(const CastReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = "measured " + plural(report.samples, "sample") + "\n" + float_text(report.floats, listing);
  if (report.error)
    text += "error against FP32 on " + plural(report.error->samples, "sample") + ": " +
            worst_error_text(*report.error) + "\n";
  return text + "wrote " + report.output + " (" + bytes_text(static_cast<double>(report.bytes_after)) + ", before " +
         bytes_text(static_cast<double>(report.bytes_before)) + ")\n" + listing.closing();
}

}  // namespace detent
