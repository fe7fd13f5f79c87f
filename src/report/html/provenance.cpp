#include "report/html/markup.h"
#include "report/html/sections.h"

#include "core/text.h"

namespace detent::html {
namespace {

std::string provenance_row(const char* label, const std::string& markup) {
  return "<tr><th scope=\"row\">" + std::string(label) + "</th><td>" + markup + "</td></tr>";
}

std::string code(const std::string& text) { return "<code>" + escape(text) + "</code>"; }

}  // namespace

std::string provenance_section(const Provenance& provenance, const std::optional<FloatReport>& floats) {
  if (provenance.producer.empty()) return {};
  const bool pairs = !provenance.ranges.empty();  // weights alone have none
  std::string rows = provenance_row("Producer", escape(provenance.producer)) +
                     provenance_row("Target", escape(provenance.target)) +
                     (pairs ? provenance_row("Calibrator", escape(provenance.calibrator)) +
                                  provenance_row("Ranges", code(provenance.ranges))
                            : std::string());
  if (provenance.samples > 0) {
    rows += provenance_row(pairs ? "Calibrated with" : "Rounded with", plural(provenance.samples, "sample"));
    if (pairs) rows += provenance_row("Sample digest", code(provenance.sample_digest));
  } else if (pairs) {
    rows += provenance_row("Calibrated with", "imported scales");
  }
  if (floats) rows += provenance_row("Floats", escape(floats->type) + " where values allow it");
  rows += provenance_row("Options", provenance.options.empty() ? "the target's defaults" : escape(provenance.options));
  if (!provenance.source_producer.empty()) rows += provenance_row("Float model by", escape(provenance.source_producer));
  return "<section id=\"provenance\"><h2>Provenance</h2><p class=\"lead\">As the file says it. The same model, samples "
         "and options give the same ranges and digest.</p><table id=\"provenance-table\"><tbody>" +
         rows + "</tbody></table></section>\n";
}

}  // namespace detent::html
