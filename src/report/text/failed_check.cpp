#include "report/text/failed_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "report/build/compared.h"
#include "report/build/sections.h"
#include "report/quantities.h"
#include "report/text/text.h"

namespace detent {

namespace {

/// Checks the bound and the verdict of a written model.
template <class Report>
std::optional<Error> failed_written(const Report& report, const Accepted& accepted, const char* bound_hint,
                                    const char* broken_hint) {
  if (report.bound && !report.bound->met)
    return Error(ErrorCode::CheckFailed, report.model + ": " + document::plain_text(build::unmet_words(*report.bound)),
                 bound_hint);
  if (report.verdict.quality == Quality::Broken && !accepted.broken)
    return Error(ErrorCode::CheckFailed, report.output + ": written, but broken: " + report.verdict.reasons.front(),
                 broken_hint);
  if (report.verdict.quality == Quality::Unknown && !accepted.broken)
    return Error(ErrorCode::CheckFailed,
                 report.output + ": written, but of unknown quality: " + report.verdict.reasons.front(), broken_hint);
  return std::nullopt;
}

/// Checks the score of the best variant of a comparison.
std::optional<Error> failed_least(const build::Compared& compared, const Accepted& accepted) {
  const auto winner = compared.winner();
  if (!accepted.least || !winner) return std::nullopt;
  const ComparisonReport& report = compared.report;
  const double score = compared.variants[*winner]->metrics.at(report.criterion), bound = *accepted.least;
  const Metric& metric = metric_named(report.criterion);
  if (metric.falls() ? score <= bound : score >= bound) return std::nullopt;
  return Error(ErrorCode::CheckFailed,
               fmt::format("{}: the best {}, {}, reaches {} {}, {} --fail-below {:.6g}", report.model, compared.kind,
                           report.winner, metric.label, metric_text(metric, score),
                           metric.falls() ? "worse than" : "below", bound));
}

}  // namespace

std::optional<Error> failed_check(const LintReport& report, const Accepted& accepted) {
  const auto errors = std::ranges::count_if(report.findings, [](const auto& one) { return one.level == "error"; });
  if (accepted.lint_errors || errors == 0) return std::nullopt;
  return Error(ErrorCode::CheckFailed, fmt::format("{} findings of level error", errors));
}

std::optional<Error> failed_check(const RepairReport& report, const Accepted&) {
  if (report.changed && report.verdict.quality == Quality::Broken)
    return Error(ErrorCode::CheckFailed, report.output + ": written, but broken: " + report.verdict.reasons.front());
  const auto left = std::ranges::count_if(report.lint.findings, [](const auto& one) { return one.level != "note"; });
  if (left == 0) return std::nullopt;
  return Error(ErrorCode::CheckFailed, fmt::format("{}: written, with {} findings left", report.output, left));
}

std::optional<Error> failed_check(const VerifyReport& report, const Accepted&) {
  if (report.failed == 0) return std::nullopt;
  return Error(ErrorCode::CheckFailed, fmt::format("{} tests failed", report.failed));
}

std::optional<Error> failed_check(const QuantizeReport& report, const Accepted& accepted) {
  return failed_written(report, accepted, "try another --calibrator (auto measures them) or a wider bound",
                        "see the end of the report; --accept-broken exits 0");
}

std::optional<Error> failed_check(const QuantizeTargetsReport& report, const Accepted& accepted) {
  std::string messages, hint;
  for (const QuantizeReport& one : report.targets) {
    const std::optional<Error> failed = failed_check(one, accepted);
    if (!failed) continue;
    if (messages.empty()) hint = failed->hint();
    messages += (messages.empty() ? "" : "; ") + std::string("target ") + one.target + ": " + failed->what();
  }
  if (messages.empty()) return std::nullopt;
  return Error(ErrorCode::CheckFailed, messages, hint);
}

std::optional<Error> failed_check(const QuantizeWeightsReport& report, const Accepted& accepted) {
  return failed_written(
      report, accepted, "try smaller blocks, int8, or a wider bound",
      "try smaller blocks, int8, or --exclude for the weight that lost most; --accept-broken exits 0");
}

std::optional<Error> failed_check(const CompareCalibratorsReport& report, const Accepted& accepted) {
  return failed_least(build::compared(report), accepted);
}

std::optional<Error> failed_check(const CompareTargetsReport& report, const Accepted& accepted) {
  return failed_least(build::compared(report), accepted);
}

std::optional<Error> failed_check(const CompareTypesReport& report, const Accepted& accepted) {
  if (std::optional<Error> failed = failed_least(build::compared(report), accepted)) return failed;
  if (report.limit && report.limit->given && report.limit->smallest.empty())
    return Error(ErrorCode::CheckFailed, report.model + ": " + document::plain_text(build::limit_words(report)),
                 "'detent quantize' with the same bound keeps layers float until it holds");
  return std::nullopt;
}

}  // namespace detent
