#include <fmt/core.h>

#include "report/build/sections.h"
#include "report/output_errors.h"
#include "report/text/document.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string pairs_text(const KeptPairs& pairs) {
  std::string text = fmt::format("kept {} and {} with every code and zero point\n",
                                 plural(pairs.quantizers, "QuantizeLinear", "QuantizeLinear"),
                                 plural(pairs.dequantizers, "DequantizeLinear", "DequantizeLinear"));
  if (pairs.stored_codes > 0)
    text += "  " + plural(pairs.stored_codes, "constant") + " stored as the codes that QuantizeLinear made\n";
  if (pairs.scale_type == "float32") return text + "  " + plural(pairs.scales, "scale") + " unchanged, in float32\n";
  text += fmt::format("  {} of {} rounded to {}, by {:.3g} % at most\n", pairs.rounded_scales,
                      plural(pairs.scales, "scale"), pairs.scale_type, 100 * pairs.largest_change);
  if (pairs.small_scales > 0)
    text += "  " + plural(pairs.small_scales, "scale") +
            " near 0 changed by more, but by less than the largest scale of the same tensor\n";
  if (pairs.float32_scales > 0)
    text += "  " + plural(pairs.float32_scales, "scale") + " stayed float32: rounding would change them too much\n";
  return text;
}

}  // namespace

std::string to_text(const CastReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = report.samples > 0 ? "measured " + plural(report.samples, "sample") + "\n" : "";
  text += to_text(build::floats(report.floats), listing);
  if (report.pairs) text += pairs_text(*report.pairs);
  text += to_text(document::Section{document::Topic::Coverage, {build::type_shares(report.coverage)}}, listing);
  if (report.error)
    text += std::string("error against ") + (report.pairs ? "the model" : "FP32") + " on " +
            plural(report.error->samples, "sample") + ": " + worst_error_text(*report.error) + "\n";
  return text + "wrote " + report.output + " (" + bytes_text(report.bytes_after) + ", before " +
         bytes_text(report.bytes_before) + ")\n" + listing.closing();
}

}  // namespace detent
