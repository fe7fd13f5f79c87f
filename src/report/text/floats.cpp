#include <fmt/core.h>

#include "report/output_errors.h"
#include "report/text/text.h"

namespace detent {

namespace {

constexpr size_t kFloatLinesShown = 20;

std::string row(const char* what, int64_t int8, int64_t half, int64_t float32) {
  const int64_t whole = int8 + half + float32;
  if (whole == 0) return {};
  return fmt::format("  {:16}  {:>7}  {:>7}  {:>7}\n", what, share_text(int8, whole), share_text(half, whole),
                     share_text(float32, whole));
}

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

std::string types_text(const TypeShares& types, CodeType codes) {
  if (!types.has_half()) return {};
  return fmt::format("  {:16}  {:>7}  {:>7}  {:>7}\n", "share of", name_of(codes), "half", "FP32") +
         row("MACs", types.int8.macs, types.half.macs, types.float32.macs) +
         row("activation bytes", types.int8.activation_bytes, types.half.activation_bytes,
             types.float32.activation_bytes);
}

std::string float_text(const FloatReport& report, Listing& listing) {
  std::string text = fmt::format("{} in {}, {} in float32, {} added\n", plural(report.half_nodes, "node"), report.type,
                                 report.float32_nodes, plural(report.casts, "cast"));
  if (!report.cut_masks.empty())
    text += "  masks cut: " + listing.names(report.cut_masks) + "  Softmax still turns them into 0\n";
  if (report.half_nodes + report.float32_nodes == 0)
    text += "  no value is FP32; the 16-bit floats of the model stay\n";
  std::vector<std::string> keys;
  for (const FloatReport::Exception& exception : report.exceptions) keys.push_back(group_key(exception));
  const std::vector<std::vector<size_t>> groups = listing.groups(keys);
  const size_t shown = listing.shown(groups.size(), kFloatLinesShown);
  size_t left = report.exceptions.size();
  for (size_t g = 0; g < shown; ++g) {
    const auto name = [&](size_t i) { return report.exceptions[i].node + " (" + report.exceptions[i].op_type + ")"; };
    const FloatReport::Exception& first = report.exceptions[groups[g].front()];
    text += "  float32: " + listing.names(groups[g], name) + "  " + first.rule + ": " + first.reason + "\n";
    left -= groups[g].size();
  }
  if (shown < groups.size())
    text += "  float32: " + plural(left, "more node") + " for " + plural(groups.size() - shown, "other reason") + "\n";
  if (!report.values_measured) text += "  " + std::string(without_samples_text(report)) + "\n";
  return text;
}

std::string to_text(const CastReport& report, Lists lists) {
  Listing listing(lists);
  std::string text = report.samples > 0 ? "measured " + plural(report.samples, "sample") + "\n" : "";
  text += float_text(report.floats, listing);
  if (report.pairs) text += pairs_text(*report.pairs);
  text += types_text(report.coverage.types, report.coverage.type);
  if (report.error)
    text += std::string("error against ") + (report.pairs ? "the model" : "FP32") + " on " +
            plural(report.error->samples, "sample") + ": " + worst_error_text(*report.error) + "\n";
  return text + "wrote " + report.output + " (" + bytes_text(report.bytes_after) + ", before " +
         bytes_text(report.bytes_before) + ")\n" + listing.closing();
}

}  // namespace detent
