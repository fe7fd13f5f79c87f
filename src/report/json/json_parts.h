#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "detent/accuracy_bound.h"
#include "detent/calibration_report.h"
#include "detent/equalize_report.h"
#include "detent/error_report.h"
#include "detent/float_types.h"
#include "detent/plan_report.h"
#include "detent/provenance.h"
#include "detent/weight_format.h"

namespace detent {

/// Members stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// Of the JSON Schemas that all documents follow (src/report/json/schemas): MAJOR.MINOR. A new member of any document raises MINOR,
/// every other change MAJOR: src/report/json/README.md.
inline constexpr std::string_view kSchemaVersion = "1.0";

/// The document of these members, behind "schema", the $id of its JSON Schema: "urn:detent:KIND:VERSION". Two-space indented, with a
/// final newline; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string render(std::string_view kind, Json members);

/// null where it is not finite, or absent.
[[nodiscard]] Json number(double value);
[[nodiscard]] Json number(const std::optional<double>& value);

/// Parts of several documents.
[[nodiscard]] Json coverage_json(const CoverageReport& report);
[[nodiscard]] Json error_metrics(const ErrorReport& error);
/// Members "verdict", "verdict_reasons", "caveats", "blame", "cures".
void add_verdict(Json& json, const VerdictReport& verdict);
[[nodiscard]] Json output_errors_json(const std::vector<ErrorReport::Output>& outputs);
[[nodiscard]] Json provenance_json(const Provenance& provenance);
[[nodiscard]] Json equalization_json(const EqualizeReport& report);
[[nodiscard]] Json floats_json(const FloatReport& report);
/// "codes" and "block".
[[nodiscard]] Json weight_format_json(const WeightFormat& format);
[[nodiscard]] Json bound_json(const BoundReport& report);
[[nodiscard]] Json outliers_json(const OutlierReport& report);

}  // namespace detent
