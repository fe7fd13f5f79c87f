#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

Json floats_json(const FloatReport& report) {
  Json exceptions = Json::array();
  for (const FloatReport::Exception& exception : report.exceptions)
    exceptions.push_back({{"node", exception.node},
                          {"op", exception.op_type},
                          {"rule", exception.rule},
                          {"value", exception.value.empty() ? Json(nullptr) : Json(exception.value)},
                          {"measured", exception.value.empty() ? Json(nullptr) : number(exception.measured)},
                          {"reason", exception.reason}});
  return {{"type", report.type},
          {"values_measured", report.values_measured},
          {"half_nodes", report.half_nodes},
          {"float32_nodes", report.float32_nodes},
          {"casts", report.casts},
          {"cut_masks", report.cut_masks},
          {"exceptions", exceptions}};
}

std::string to_json(const CastReport& report) {
  Json error(nullptr);
  if (report.error)
    error = {{"samples", report.error->samples},
             {metrics::kSqnr.name, number(report.error->sqnr_db)},
             {metrics::kCosine.name, number(report.error->cosine)},
             {"outputs", output_errors_json(report.error->outputs)}};
  return render("cast", {{"model", report.model},
                         {"output", report.output},
                         {"samples", report.samples},
                         {"floats", floats_json(report.floats)},
                         {"coverage", coverage_json(report.coverage)},
                         {"error", error},
                         {"bytes_before", report.bytes_before},
                         {"bytes_after", report.bytes_after},
                         {"seconds", report.seconds}});
}

}  // namespace detent
