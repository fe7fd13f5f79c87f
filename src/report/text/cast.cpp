#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

std::string to_text(const CastReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = "measured " + plural(report.samples, "sample") + "\n" + float_text(report.floats, listing) +
                     types_text(report.coverage.types);
  if (report.error)
    text += "error against FP32 on " + plural(report.error->samples, "sample") + ": " +
            worst_error_text(*report.error) + "\n";
  return text + "wrote " + report.output + " (" + bytes_text(static_cast<double>(report.bytes_after)) + ", before " +
         bytes_text(static_cast<double>(report.bytes_before)) + ")\n" + listing.closing();
}

}  // namespace detent
