#include <algorithm>

#include "report/output_errors.h"
#include "report/quantities.h"
#include "report/text/columns.h"
#include "report/text/text.h"

namespace detent {

std::string outputs_text(const std::vector<ErrorReport::Output>& outputs, Listing& listing) {
  constexpr size_t kShown = 8;
  if (outputs.size() < 2) return {};
  std::vector<ErrorReport::Output> shown = worst_first(outputs);
  shown.resize(listing.shown(shown.size(), kShown));
  Table table{{{"", Kind::Name}, {"", Kind::Words}}};
  for (const auto& output : shown) table.rows.push_back({{{output.name}, {output_error_text(output)}}});
  std::string text = to_text(table);
  if (shown.size() < outputs.size()) text += "  and " + plural(outputs.size() - shown.size(), "output") + " no worse\n";
  return text;
}

}  // namespace detent
