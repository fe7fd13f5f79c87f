#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/shared_pass.h"
#include "core/files/output_set.h"
#include "core/process/early_end.h"
#include "core/stop.h"
#include "datasets/state/pipeline_file.h"
#include "detent/base/error.h"
#include "detent/output_files.h"
#include "options/command_inputs.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/target_errors.h"
#include "pipeline/parts/written_file.h"
#include "pipeline/quantize_model.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Returns the options of each target.
/// Errors  those of quantize_targets() that need no model.
std::vector<QuantizeOptions> options_by_target(const QuantizeOptions& given) {
  if (!given.pipeline.empty() || is_pipeline_file(given.model))
    throw Error(ErrorCode::Usage, "--pipeline takes one --target", "one command for each target, into another folder");
  if (given.stop_after != StopAfter::Nothing)
    throw Error(ErrorCode::Usage, "--stop-after takes one --target", "leave the other targets out");
  if (given.latency.given())
    throw Error(ErrorCode::Usage, "--latency-command takes one --target", "one command times the files of one engine");
  if (given.output.extension() != ".onnx")
    throw Error(ErrorCode::Usage,
                given.output.string() + ": with several targets OUT must end in .onnx; the files are OUT.TARGET.onnx");
  check_targets("--target", given.targets);
  std::vector<QuantizeOptions> all;
  for (const std::string& target : given.targets) {
    QuantizeOptions& one = all.emplace_back(given);
    one.target = target;
    one.output = path_of_target(given.output, target);
  }
  return all;
}

}  // namespace

fs::path path_of_target(const fs::path& path, const std::string& target) {
  std::string word = target;
  std::ranges::replace(word, ':', '-');
  return path.parent_path() / (path.stem().string() + "." + word + path.extension().string());
}

QuantizeTargetsReport quantize_targets(const QuantizeOptions& given) {
  const StopScope stop(given.run.stop);
  const EarlyEnd early(given.run.time_limit);
  const InputFiles protected_inputs = protect_inputs(given);
  const Stopwatch whole;
  const std::vector<QuantizeOptions> all = options_by_target(given);
  check_distinct(files_beside(given));
  std::vector<Recipe> recipes;
  for (const QuantizeOptions& one : all)
    recipes.push_back(naming_target(one.target, [&] { return checked_recipe(one); }));

  // plans of all targets -> the values of the shared pass; only one float model at a time is in memory
  SharedPass pass;
  std::vector<Prepared> prepared;
  for (size_t i = 0; i < all.size(); ++i) {
    recipes[i].pass = &pass;
    prepared.push_back(naming_target(all[i].target, [&] { return make(std::move(recipes[i])); }));
    announce_values(prepared.back());
    release_model(prepared.back());
  }

  // the first target measures the values of all; each is quantized as it would be alone
  QuantizeTargetsReport report;
  report.model = given.model.string();
  OutputSet written;
  for (size_t i = 0; i < all.size(); ++i) {
    const Stopwatch stopwatch;
    prepared[i] = changed(std::move(prepared[i]));
    const QuantizeReport* before = i > 0 ? &report.targets.front() : nullptr;
    report.targets.push_back(naming_target(
        all[i].target, [&] { return quantize_prepared(all[i], std::move(prepared[i]), stopwatch, before); }));
  }
  written.commit();
  add_cost(whole, report);
  return report;
}

}  // namespace detent
