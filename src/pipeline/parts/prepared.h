#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/range_overrides.h"
#include "calibrate/shared_pass.h"
#include "datasets/sample_request.h"
#include "detent/base/calibrator.h"
#include "detent/options/equalize_options.h"
#include "detent/options/format_options.h"
#include "detent/options/run_settings.h"
#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/graph/value_shapes.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "pipeline/parts/identified_samples.h"
#include "pipeline/parts/plan_report.h"
#include "place/engines/target.h"
#include "place/plan/measured_facts.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "prepare/prepare_model.h"
#include "prepare/shapes_without_data.h"
#include "rewrite/rewrite.h"
#include "run/samples_together.h"
#include "tune/equalize/equalize_model.h"
#include "tune/equalize/request.h"

namespace detent {

/// The options that a float model is prepared and placed by, resolved for the target.
struct Recipe {
  std::filesystem::path model;
  std::optional<PipelineFile> pipeline = {};  ///< that `model` is the path of
  SampleRequest data = {};                    ///< to calibrate with; nothing: the table alone
  SampleRequest eval = {};                    ///< other data with the same preprocessing
  std::filesystem::path table = {};           ///< empty: ranges come from the data
  bool measures = true;                       ///< false: needs neither data nor a table
  InputShapes shapes = {};  ///< of inputs whose sizes the model leaves open, where nothing is measured
  const Target* target = nullptr;
  std::string target_note = {};  ///< of a version that has the facts of another one
  PlacementRequest placement = {};
  RewriteOptions format = {};
  FloatType float_type = FloatType::Fp32;  ///< of what is not quantized
  RangeOverrides overrides = {};
  EqualizeRequest equalize = {};
  std::vector<std::string> calibrators = {};  ///< that --equalize auto judges with
  OutlierPolicy outliers = OutlierPolicy::Clip;
  RunSettings run;
  std::filesystem::path one_file = {};  ///< the file that must hold everything; empty: none
  bool identify = false;                ///< Prepared::identified remembers the samples that were read
  SharedPass* pass = nullptr;           ///< of all targets, which outlives the recipe; nullptr: there is only this one

  // Known after a measurement (Change).
  ForcedFloat32 float32 = {};  ///< nodes that a bound keeps in FP32
  MeasuredFacts kept = {};     ///< nodes that are not quantized
};

/// Returns the type that the options ask for, or the target's default.
[[nodiscard]] FloatType float_type_of(const FormatOptions& format, const Target& target);

/// Resolves the options of `given` for the target.
/// Errors  those of read_pipeline_file, find_target, rewrite_options, read_overrides and parse_equalize.
[[nodiscard]] Recipe resolved(Recipe given, const std::string& target, const PlacementOptions& placement,
                              const FormatOptions& format, const EqualizeOptions& equalize = {},
                              const std::filesystem::path& override_file = {});

/// Returns the recipe of QuantizeOptions, ComparedOptions or SensitivityOptions, from their common options.
/// Errors  those of resolved().
template <typename Options>
[[nodiscard]] Recipe recipe_of(const Options& given, RequestedSamples samples, std::vector<std::string> calibrators,
                               std::optional<PipelineFile> pipeline = {}) {
  Recipe recipe{.model = given.model,
                .pipeline = std::move(pipeline),
                .data = std::move(samples.data),
                .eval = std::move(samples.eval),
                .outliers = given.outliers,
                .run = given.run};
  if constexpr (requires { given.table; }) recipe.table = given.table;
  recipe.calibrators = std::move(calibrators);
  return resolved(std::move(recipe), given.target, given.placement, given.format, given.equalize, given.override_file);
}

/// A prepared model whose nodes compute in a 16-bit float type, and the basis of that decision.
struct HalfForm {
  FloatFormat format;
  ValueReaches reaches;  ///< of the values of Prepared::float32
  FloatReport report = {};
  std::unique_ptr<Model> model = {};
};

/// The result of make(): the float model as the target needs it, and the plan of its pairs. Only make() fills one.
struct Prepared {
  Recipe recipe = {};
  ModelFacts facts = {};
  Preparation preparation = {};
  std::optional<CalibrationTable> table = {};
  std::shared_ptr<DataSource> data = {};           ///< to calibrate with; nullptr: the table alone
  const IdentifiedSamples* identified = nullptr;   ///< `data`, where the recipe asks for it
  std::optional<std::vector<Tensor>> inputs = {};  ///< one batch; absent where neither data nor declared sizes give it
  std::optional<EqualizedModel> equalized = {};
  std::shared_ptr<Model> float32 = {};  ///< the float model that quantized ones are compared with
  std::optional<HalfForm> half = {};    ///< where unquantized nodes compute in 16 bits
  ValueShapes shapes = {};              ///< of one batch; empty without `inputs`
  PlacementPlan plan = {};
  std::shared_ptr<const SamplesApart> apart = {};  ///< with scales at run time

  /// The model to quantize.
  [[nodiscard]] const Model& model() const { return half ? *half->model : *float32; }
  [[nodiscard]] const Graph& graph() const { return model().graph(); }
  [[nodiscard]] std::optional<EqualizeReport> equalize_report() const {
    return equalized ? std::optional(equalized->report) : std::nullopt;
  }
};

/// Makes the model and placement plan of a recipe.
/// before  a Prepared of the same model whose recipe differs only in `float32`, `kept` and, without a model, in
///         `equalize`: only the steps after this difference are done again. If its model was taken, it is read again;
///         nothing is measured twice.
/// Errors  those of reading, preparing, equalizing, casting and placing; Usage without table and data; those of
///         check_one_file and check_memory_need.
[[nodiscard]] Prepared make(Recipe recipe, Prepared before = {});

/// The result of a search: it replaces these members of the recipe.
struct Change {
  std::optional<MeasuredFacts> kept = {};
  std::optional<ForcedFloat32> float32 = {};
  std::optional<Calibration> measured = {};  ///< the search measured more values for it

  [[nodiscard]] bool empty() const { return !kept && !float32; }
};

/// Makes the model with a change; without one reads a released model again. Nothing else changes what was made.
[[nodiscard]] Prepared changed(Prepared before, Change change = {});

/// Describes the plan with names instead of ids.
[[nodiscard]] PlanReport plan_report_of(const Prepared& prepared);

/// Describes the plan with the 16-bit nodes, the values that can be equalized, and the samples that were read.
/// Errors  those of running the model for shapes.
[[nodiscard]] PlanReport describe_placement(const Prepared& prepared);

/// Returns the same without a model, which make() reads; the data is shared.
[[nodiscard]] Prepared copy_without_model(const Prepared& prepared);

/// Releases the model, which make() reads again; nothing is measured twice.
void release_model(Prepared& prepared);

/// Takes the model to quantize out, without a copy of its weights unless `float32` is shared.
[[nodiscard]] Model take_model(Prepared& prepared);

/// Warns of layers that no command quantizes: in branches and loops, and with FLOAT64 weights.
/// codes  name of the type of codes
void warn_of_layers_left(const Graph& graph, std::string_view codes, Reporter& reporter);

}  // namespace detent
