#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/model_files.h"
#include "detent/compare.h"
#include "detent/explain.h"
#include "detent/lint.h"
#include "detent/quantize.h"
#include "detent/quantize_weights.h"
#include "detent/repair.h"
#include "detent/sensitivity.h"

namespace detent {

/// Origin of a page. Empty members are left out of the page.
struct PageOrigin {
  std::string command;   ///< as typed: "detent plan model.onnx --html page.html"
  std::string versions;  ///< of the program and its libraries, one a line
  std::string model;     ///< path of the file that was read; the page shows its last part
  ModelFiles files;      ///< digests of that file and of external weights
  struct Data {
    std::string use;  ///< "Calibration data"
    size_t samples = 0;
    std::string digest;  ///< of names and contents; empty: the page leaves the data out
  };
  std::vector<Data> data;  ///< used by the report
  std::string date;        ///< only if requested, so that equal runs give equal pages
};

template <class Report, class... Others>
concept OneOf = (std::same_as<Report, Others> || ...);
template <class Report>
concept HasPage = OneOf<Report, CompareCalibratorsReport, CompareTargetsReport, CompareTypesReport, SensitivityReport,
                        QuantizeReport, QuantizeWeightsReport, PlanReport, LintReport, RepairReport, ExplainReport>;

/// Writes one self-contained HTML page. It fetches nothing, and every chart is drawn in advance, so that it also works
/// without scripts and on paper. Its script sorts and filters tables, selects a value and shows tooltips.
///
/// origin    command, versions, digests; may be empty.
/// Empty     a part without content is left out; without variants the summary says that nothing was compared.
/// Size      about 8 kB a value with seven candidates, 0.5 kB a layer or edge, 40 kB a picture of detections.
/// Escaping  texts from the model or the command line are escaped; bytes that are not UTF-8 become U+FFFD.
template <HasPage Report>
[[nodiscard]] std::string to_html(const Report& report, const PageOrigin& origin = {});

}  // namespace detent
