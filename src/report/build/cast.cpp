#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

/// Says what became of codes and scales.
Section pairs(const std::optional<KeptPairs>& kept) {
  Section section{Topic::Pairs, {}};
  if (!kept) return section;
  std::vector<Part>& parts = section.parts;
  parts.push_back(
      Line{{"kept ", count(kept->quantizers, "QuantizeLinear", "QuantizeLinear"), " and ",
            count(kept->dequantizers, "DequantizeLinear", "DequantizeLinear"), " with every code and zero point"}});
  if (kept->code_constants > 0)
    parts.push_back(Line{count(kept->code_constants, "constant of codes", "constants of codes"), Role::Detail});
  if (kept->stored_codes > 0)
    parts.push_back(
        Line{{count(kept->stored_codes, "constant"), " stored as the codes that QuantizeLinear made"}, Role::Detail});
  if (kept->scale_type == "float32") {
    parts.push_back(Line{{count(kept->scales, "scale"), " unchanged, in float32"}, Role::Detail});
    return section;
  }
  parts.push_back(Line{{count(kept->rounded_scales), " of ", count(kept->scales, "scale"), " rounded to ",
                        kept->scale_type, ", by ", share(kept->largest_change, 3), " at most"},
                       Role::Detail});
  if (kept->small_scales > 0)
    parts.push_back(Line{{count(kept->small_scales, "scale"),
                          " near 0 changed by more, but by less than the largest scale of the same tensor"},
                         Role::Detail});
  if (kept->float32_scales > 0)
    parts.push_back(Line{{count(kept->float32_scales, "scale"), " stayed float32: rounding would change them too much"},
                         Role::Detail});
  return section;
}

}  // namespace

Document document_of(const CastReport& report) {
  Document document{.subject = "Cast", .title = "cast", .file = report.model, .facts = {}};
  document.verdict = {Line{{"wrote ", name(report.output), " (", bytes(report.bytes_after), ", before ",
                            bytes(report.bytes_before), ") in ", seconds(report.seconds)}}};
  Section measured{Topic::Model, {}};
  if (report.samples > 0) measured.parts.push_back(Line{{"measured ", count(report.samples, "sample")}});
  document.sections = {measured,
                       floats(report.floats),
                       pairs(report.pairs),
                       {Topic::Coverage, {type_shares(report.coverage)}},
                       report.error
                           ? error(report.error, report.pairs ? "error against the model" : "error against FP32")
                           : Section{Topic::Error, {}}};
  return document;
}

}  // namespace detent::build
