#include "report/json/json.h"
#include "report/json/json_parts.h"

namespace detent {

std::string to_json(const CacheExportReport& report) {
  return render("cache-export", {{"table", report.table},
                                 {"output", report.output},
                                 {"target", report.target},
                                 {"calibrator", report.calibrator},
                                 {"scales", report.scales}});
}

std::string to_json(const CacheImportReport& report) {
  return render("cache-import", {{"cache", report.cache},
                                 {"output", report.output},
                                 {"version_line", report.version_line},
                                 {"imported", report.imported},
                                 {"unknown", report.unknown},
                                 {"without_scale", report.without_scale},
                                 {"target", report.target},
                                 {"missing", report.missing}});
}

}  // namespace detent
