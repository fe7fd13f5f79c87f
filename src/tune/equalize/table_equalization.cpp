#include "tune/equalize/table_equalization.h"

#include "detent/error.h"
#include "equalize/equalization.h"
#include "tune/equalize/apply.h"

namespace detent {

namespace {

void check_asked(const char* option, const std::string& wish, const std::string& measured) {
  if (wish == measured) return;
  throw Error(ErrorCode::TableMismatch,
              std::string("the table was measured with ") + option + " " + measured + ", but " + option + " " + wish +
                  " is asked for",
              std::string("leave ") + option + " out, or calibrate again with " + option + " " + wish);
}

EqualizeReport describe_equalization(const CalibrationTable& table) {
  EqualizeReport report;
  report.requested = (table.equalize.empty() ? "off" : table.equalize) + ", by the table";
  for (const EqualizeFamily family : kEqualizeFamilies) {
    EqualizeReport::Family line{std::string(name_of(family))};
    for (const auto& [name, value] : table.equalization.values) line.values += value.family == family;
    line.kept = line.values > 0;
    report.kept |= line.kept;
    report.families.push_back(line);
  }
  return report;
}

}  // namespace

std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                const EqualizeRequest& requested, std::span<const Tensor> inputs) {
  using Mode = EqualizeRequest::Mode;
  if (requested.mode != Mode::Unset)
    check_asked("--equalize", requested.mode == Mode::Auto ? "auto" : to_text(requested.items),
                table.equalize.empty() ? "off" : table.equalize);
  if (table.equalize.empty()) return std::nullopt;
  EqualizedModel evened{table.equalization, describe_equalization(table)};
  apply_equalization(model, table.equalization, inputs);
  return evened;
}

}  // namespace detent
