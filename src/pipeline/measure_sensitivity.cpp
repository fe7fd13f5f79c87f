#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/data_source.h"
#include "detent/sensitivity.h"
#include "evaluate/task_metric.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/sensitivity_report.h"
#include "pipeline/parts/setup.h"
#include "pipeline/weight_sensitivity.h"
#include "run/model_inputs.h"

namespace detent {

SensitivityReport measure_sensitivity(const SensitivityOptions& options) {
  const StopScope stop(options.run.stop);
  if (options.weights) return weight_sensitivity(options);
  const Stopwatch stopwatch;
  const RunSettings& run = options.run;
  auto calibrator = named_calibrator(options.calibrator);

  // model, plan and data
  const std::filesystem::path no_table;
  Setup setup = set_up({options.model,
                        options.data,
                        no_table,
                        options.override_file,
                        options.target,
                        options.placement,
                        options.format,
                        options.equalize,
                        {options.calibrator},
                        run,
                        options.outliers,
                        &options.eval});
  const IdentifiedSamples samples(open_samples(options.eval, setup.model.graph()));
  EvaluationOptions judged;
  judged.next_token = options.next_token;
  const TaskMetric task(judged, samples, *run.reporter, input_specs(setup.model.graph(), options.eval.batch_axes));

  // one calibration -> ranges
  const Calibration calibration = setup.calibrate_plan();
  warn_of_unsupported_tail(setup.model.graph(), *run.reporter);
  const ChosenRanges chosen = setup.choose(std::move(calibrator), calibration);

  SensitivityReport report =
      sensitivity_of({setup, setup.placement, calibration, *chosen.calibrator, chosen.ranges, {}, &task}, samples);
  report.model = options.model.string();
  report.evaluation_spread = options.eval.spread && options.eval.limit == samples.size();
  report.evaluation_digest = samples.digest();
  report.plan =
      describe_plan(setup.plan, setup.model.graph(), report.model, setup.facts, setup.preparation.folded_batchnorms);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
