#include <memory>
#include <sstream>

#include "cli/command.h"
#include "cli/interrupt_watch.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/calibrate.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct CalibrateState {
  CalibrateOptions options;
  ReportOptions report;
  std::string targets;
  std::vector<Collect> collect;
};

int calibrate(CalibrateState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  std::istringstream targets(state.targets);
  for (std::string target; std::getline(targets, target, ',');) state.options.targets.push_back(target);
  state.options.run.reporter = &environment.reporter;
  state.options.overwrite = state.report.overwrite;
  state.report.check();
  keep_work_when_interrupted();  // TABLE.partial
  const TableReport report = calibrate_model(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.print(summary_text(report));
  return 0;
}

}  // namespace

Action declare_calibrate(CLI::App& app) {
  auto state = std::make_shared<CalibrateState>();
  CalibrateOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  app.add_option("-o,--output", options.output, "Where the calibration table goes")->required()->type_name("TABLE.dct");
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  state->collect.push_back(add_placement_options(app, state->targets, options.placement));
  app.get_option("--target")
      ->description(
          "Measure only what these targets quantize with the policies below (default: every value that any "
          "target could, so that one table serves all)")
      ->type_name("NAME[:VERSION][,...]");
  state->collect.push_back(add_float_type_option(
      app, options.float_type,
      "fp16 or bf16: measure too what all float values reach, which quantize --table with a 16-bit float type needs "
      "(default: the targets')"));
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::NotOffered));
  state->collect.push_back(add_run_options(app, options.run));
  app.add_flag(
         "--resume", options.resume,
         "Go on with TABLE.partial, which an interrupted calibration leaves; without one begin at the first sample. "
         "Keep a TABLE that is complete")
      ->group("Running");
  app.add_option("--checkpoint", options.checkpoint_seconds,
                 "Write TABLE.partial every so many seconds, for a process that is killed; 0: never")
      ->type_name("SECONDS")
      ->check(number_from(0, 1e6))
      ->capture_default_str()
      ->group("Running");
  app.add_option("--isa", options.isa,
                 "Instruction set of the kernels: avx2 or avx512 give the same bits on every CPU that has it")
      ->type_name("avx2|avx512|native")
      ->check(CLI::IsMember({"avx2", "avx512", "native"}))
      ->capture_default_str()
      ->group("Running");
  add_json_option(app, state->report, "Running");
  app.add_flag("--overwrite", state->report.overwrite, "Replace TABLE, and the file of --json, if it exists")
      ->group("Running");
  return [state](Environment& environment) { return calibrate(*state, environment); };
}

}  // namespace detent::cli
