#include "pipeline/parts/prepared.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "calibrate/from_table.h"
#include "core/memory_limit.h"
#include "core/text.h"
#include "detections/graph_layout.h"
#include "detent/base/error.h"
#include "equalize/equalizable_values.h"
#include "evaluate/compared_values.h"
#include "exec/find_shapes.h"
#include "exec/runnable_part.h"
#include "half/half_model.h"
#include "model/declare_ranks.h"
#include "model/fingerprint.h"
#include "ops/traits.h"
#include "pipeline/parts/written_file.h"
#include "place/draft/float_layers.h"
#include "place/engines/target_versions.h"
#include "place/make_plan.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/format_options.h"
#include "rewrite/written_size.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/workers.h"
#include "tune/equalize/equalizer.h"

namespace detent {

namespace {

bool is_product(OpKind kind) {
  return kind == OpKind::MatMul || kind == OpKind::Gemm || kind == OpKind::Conv || kind == OpKind::ConvTranspose;
}

/// Returns the bytes of a product's inputs and outputs, which exist at the same time.
uint64_t bytes_around(const Graph& graph, const Node& node, const ValueShapes& shapes) {
  std::set<MaybeValue> values(node.inputs.begin(), node.inputs.end());
  values.insert(node.outputs.begin(), node.outputs.end());
  uint64_t bytes = 0;
  for (const MaybeValue value : values) {
    const Shape* shape = find_shape(shapes, value);
    if (!shape || graph.value(*value).is_constant) continue;
    bytes += static_cast<uint64_t>(shape->element_count()) * sizeof(float);
  }
  return bytes;
}

/// True when the model declares all sizes except that of the batch.
bool has_one_size(const Graph& graph) {
  return std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && std::ranges::count(*shape, -1) == (!shape->empty() && shape->front() == -1 ? 1 : 0);
  });
}

/// A lower bound of the memory that quantizing holds at one time. Weights in files do not count: their pages are
/// released.
struct MemoryNeed {
  uint64_t codes = 0;    ///< bytes of INT8 weights, each once
  uint64_t values = 0;   ///< bytes of inputs and outputs of the largest product or convolution, one batch of floats
  uint64_t workers = 1;  ///< that run at the same time; 1 where samples may differ in size

  [[nodiscard]] uint64_t bytes() const { return codes + workers * values; }
};

/// shapes  of one batch; unknown ones take nothing. samples  nullptr: nothing is run.
MemoryNeed memory_need(const Graph& graph, const ValueShapes& shapes, const PlacementPlan& plan,
                       const RewriteOptions& format, const DataSource* samples, const RunSettings& settings) {
  MemoryNeed need;
  std::set<ValueId> weights;
  for (const WeightDecision& weight : plan.weights)
    if (const Tensor* tensor = graph.constant(weight.value);
        format.int8_weights && tensor && weights.insert(weight.value).second)
      need.codes += static_cast<uint64_t>(tensor->element_count());
  if (!samples) return need;
  for (const Node& node : graph.nodes())
    if (is_product(traits_of(graph, node).kind)) need.values = std::max(need.values, bytes_around(graph, node, shapes));
  if (has_one_size(graph))
    need.workers = std::clamp<uint64_t>(samples->size() / samples->batch(), 1, worker_count(settings));
  return need;
}

/// Checks the memory before anything is measured.
/// Errors  InvalidData without room, with the sizes and the number of threads that there would be room for.
void check_memory_need(const MemoryNeed& need, const std::string& model) {
  if (memory_has_room(need.bytes())) return;
  const uint64_t limit = memory_limit();
  const uint64_t fitting = need.values > 0 && limit > need.codes ? (limit - need.codes) / need.values : 0;
  const std::string workers = need.workers == 1 ? "" : std::to_string(need.workers) + " threads x ";
  throw Error(ErrorCode::InvalidData,
              model + ": takes " + memory_text(need.bytes()) + " at least: " + memory_text(need.codes) +
                  " of INT8 weights and " + workers + memory_text(need.values) +
                  " for the values of its largest layer; the limit is " + memory_text(limit) + " (--max-memory)",
              fitting >= 1 && fitting < need.workers ? "--threads " + std::to_string(fitting) + " leaves more room"
                                                     : "a machine with more free memory is needed, or smaller inputs");
}

/// Reads the table of the recipe; nullopt without one. `model` as it was read.
std::optional<CalibrationTable> open_table(const Recipe& recipe, const Model& model) {
  if (!recipe.table.empty()) return read_table_of(recipe.table, fingerprint(model).hex());
  const bool needs_none = recipe.placement.dynamic_products && !recipe.equalize.equalizes();
  if (recipe.measures && !recipe.data.given() && !needs_none)
    throw Error(ErrorCode::Usage, "ranges need --data or --table, and neither was given");
  return std::nullopt;
}

/// Checks that the table has the reaches that a 16-bit type needs.
void check_half(FloatType type, const std::optional<CalibrationTable>& table) {
  if (type == FloatType::Fp32 || !table || !table->reaches.empty()) return;
  throw Error(ErrorCode::Usage, "a 16-bit float type needs the ranges of all float values, which this table lacks",
              "'calibrate --float-type fp16' measures them; --float-type fp32 writes only the pairs");
}

void open_data(Prepared& made, const Model& model) {
  const Recipe& recipe = made.recipe;
  if (!recipe.data.given()) return;
  std::unique_ptr<DataSource> data = open_samples(recipe.data, model);
  if (recipe.identify) {
    auto identified = std::make_unique<IdentifiedSamples>(std::move(data));
    made.identified = identified.get();
    data = std::move(identified);
  }
  made.data = std::move(data);
}

std::optional<std::vector<Tensor>> first_inputs(const Prepared& made, const Graph& graph) {
  if (!made.recipe.measures) return inputs_without_data(graph, made.recipe.shapes);
  std::vector<Tensor> inputs =
      made.data ? read_shown_inputs(*made.data, made.recipe.data.steps, made.recipe.run) : made_up_inputs(graph);
  return inputs.empty() ? std::nullopt : std::optional(std::move(inputs));
}

ValueShapes shapes_of(const Prepared& made, const Graph& graph) {
  return made.inputs ? find_shapes(graph, *made.inputs) : ValueShapes{};
}

PlacementPlan plan_of(const Prepared& made, const Graph& graph, const ValueShapes& shapes) {
  return make_placement_plan(graph, *made.recipe.target, made.recipe.placement, shapes, made.recipe.kept);
}

/// half  the model will be cast to 16 bits.
void check_room(const Prepared& made, const Model& model, const ValueShapes& shapes, const PlacementPlan& plan,
                bool half = false) {
  const Recipe& recipe = made.recipe;
  if (!recipe.measures) return;
  check_memory_need(memory_need(model.graph(), shapes, plan, recipe.format, made.data.get(), recipe.run),
                    recipe.model.string());
  if (!recipe.one_file.empty())
    check_one_file(recipe.one_file, ExternalData::Never,
                   [&] { return least_written_bytes(model, plan, recipe.format, half); });
}

/// Adds the values that no sample of the graph reaches and whose range neither the table nor an override gives.
void find_unreached(Prepared& made, const Graph& graph) {
  const auto is_given = [&](const std::string& name) {
    if (made.table && made.table->values.contains(name)) return true;
    const auto found = made.recipe.overrides.find(name);
    return found != made.recipe.overrides.end() && !found->second.calibrator && found->second.chooses_range();
  };
  made.recipe.kept.unreached.merge(unreached_values(graph, is_given));
}

/// Equalizes as the recipe or its table asks for.
void equalize(Prepared& made, Model& model) {
  const Recipe& recipe = made.recipe;
  const std::span<const Tensor> inputs =
      made.inputs ? std::span<const Tensor>(*made.inputs) : std::span<const Tensor>{};
  if (made.table) {
    made.equalized = equalize_by_table(*made.table, model, recipe.equalize, inputs);
  } else if (recipe.equalize.equalizes()) {
    // Channels are evened out for codes with one scale, whenever that is found; the plan of pairs shows where they are.
    PlacementRequest placement = recipe.placement;
    placement.dynamic_products = placement.ruined_products_dynamic = false;
    made.equalized = equalize_as_requested(
        model, recipe.equalize, inputs, *made.data, recipe.outliers,
        {.per_tensor_weights = recipe.format.per_tensor_weights},
        {.target = *recipe.target,
         .placement = placement,
         .format = recipe.format,
         .overrides = recipe.overrides,
         .calibrators = recipe.calibrators,
         .run = recipe.run,
         .kept = recipe.kept,
         .ruined_at_run_time = recipe.placement.ruined_products_dynamic || recipe.placement.dynamic_products});
  }
}

/// Declares the ranks of inputs without a shape, which the samples show.
void declare_ranks_of_inputs(const Prepared& made, Model& model) {
  std::map<std::string, size_t> ranks;
  const Graph& graph = model.graph();
  for (size_t i = 0; made.inputs && i < graph.inputs().size(); ++i)
    if (const Value& input = graph.value(graph.inputs()[i]); !input.declared_shape)
      ranks.emplace(input.name, made.inputs->at(i).shape().rank());
  declare_ranks(model, ranks);
}

/// Reads the model for the first time: checks data, table, preparation and equalization by running it.
void read_first(Prepared& made, Model& model) {
  const Recipe& recipe = made.recipe;
  made.facts = facts_of(model);
  static_cast<void>(judged_outputs(model.graph(), recipe.run));  // refuses unknown names
  made.table = open_table(recipe, model);
  open_data(made, model);
  warn_of_unused_preprocess(recipe.data, recipe.eval, model.graph(), *recipe.run.reporter);
  made.inputs = first_inputs(made, model.graph());
  declare_ranks_of_inputs(made, model);
  check_half(recipe.float_type, made.table);
  const bool checks = recipe.measures && made.inputs;
  made.preparation =
      prepare_checked(model, *recipe.target, checks ? std::span<const Tensor>(*made.inputs) : std::span<const Tensor>{},
                      prepare_options(recipe.placement, recipe.float_type, recipe.format.activation.type));
  if (!made.preparation.forms_undone.empty())
    recipe.run.reporter->warn("operators keep their form, although " + std::string(recipe.target->engine.title) +
                              " wants another: " + made.preparation.forms_undone);
  find_unreached(made, model.graph());
  const bool half = recipe.float_type != FloatType::Fp32;
  if (recipe.measures && (recipe.equalize.equalizes() || half)) {  // before channels or float ranges are measured
    const ValueShapes shapes = shapes_of(made, model.graph());
    check_room(made, model, shapes, plan_of(made, model.graph(), shapes), half);
  }
  equalize(made, model);
}

/// Repeats the changes that were checked when the model was first read.
/// evens  with another equalization than then
void read_again(Prepared& made, Model& model, bool evens) {
  declare_ranks_of_inputs(made, model);
  PrepareOptions options =
      prepare_options(made.recipe.placement, made.recipe.float_type, made.recipe.format.activation.type);
  options.forms = made.preparation.forms_undone.empty();
  prepare_model(model, *made.recipe.target, options);
  if (evens)
    equalize(made, model);
  else if (made.equalized)
    apply_equalization(model, made.equalized->equalization, {});
}

ValueReaches reaches_of(const Prepared& made, const Graph& graph) {
  if (made.table) return reaches_from(*made.table, graph);
  return made.data ? measure_reaches(graph, *made.data, made.recipe.run) : unmeasured_reaches(graph, *made.inputs);
}

/// Returns the nodes that stay FP32 whatever their values reach: those of the recipe, and those beside which the engine
/// builds no 16-bit floats.
ForcedFloat32 forced_float32(const Prepared& made) {
  ForcedFloat32 forced = made.recipe.float32;
  const Target& target = *made.recipe.target;
  if (target.strongly_typed || !*target.engine.half_risks) return forced;
  const Graph& graph = made.float32->graph();
  const PlacementPlan plan = plan_of(made, graph, shapes_of(made, graph));
  for (std::string& name : (*target.engine.half_risks)(plan, graph))
    forced.try_emplace(std::move(name),
                       ForcedReason{.reason = target.spec() + " builds no INT8 layer like this beside 16-bit floats",
                                    .rule = "engine"});
  return forced;
}

/// Lets nodes compute in 16 bits where values allow it; the graph's inputs and outputs keep their types.
void change_types(Prepared& made) {
  const Recipe& recipe = made.recipe;
  if (recipe.float_type == FloatType::Fp32 || (!recipe.measures && !made.inputs)) return;
  if (!made.half) made.half = {float_format(recipe.float_type), reaches_of(made, made.float32->graph())};
  HalfForm& half = *made.half;
  half.model = std::make_unique<Model>(made.float32->clone());
  half.report = make_half(*half.model, half.format, half.reaches, forced_float32(made));
  half.report.values_measured = recipe.measures;
  find_unreached(made, half.model->graph());
}

void place(Prepared& made, bool first) {
  const Recipe& recipe = made.recipe;
  made.plan = plan_of(made, made.graph(), made.shapes);
  check_room(made, made.model(), made.shapes, made.plan);
  if (!first || !recipe.measures) return;
  check_overrides(recipe.overrides, made.graph(), made.plan);
  warn_of_layers_left(made.graph(), name_of(recipe.placement.type), *recipe.run.reporter);
}

/// Describes a plan whose sizes are not known: MACs and bytes need them, the values to equalize do not.
void describe_without_sizes(const Prepared& prepared, PlanReport& report) {
  report.notes.emplace_back(kOpenSizes);
  const Graph& graph = prepared.float32->graph();
  const TrialShapes trial = shapes_at_trial_sizes(graph, prepared.recipe.shapes);
  if (trial.missing.empty()) {
    report.equalizable = equalizable_values(graph, trial.runs);
    report.detections = describe(find_detections(graph, trial.runs.front()));
  } else
    report.notes.push_back("which values can be equalized is not known: " + trial.missing +
                           "; --shape gives what is missing");
  if (prepared.recipe.float_type != FloatType::Fp32)
    report.notes.emplace_back(
        "which nodes compute in 16 bits depends on the sizes, which are not known: --shape or --data");
}

}  // namespace

void warn_of_layers_left(const Graph& graph, std::string_view codes, Reporter& reporter) {
  for (const Node& node : graph.nodes())
    if (const std::string text = inner_layers_text(node); !text.empty()) reporter.warn(text);
  if (const std::string text = float64_text(graph, codes); !text.empty()) reporter.warn(text);
}

FloatType float_type_of(const FormatOptions& format, const Target& target) {
  return format.float_type.value_or(target.float_type);
}

namespace {

/// Returns whether a loop feeds the tokens that it chose. Scales in advance then cost words: Whisper tiny.en loses 2.9
/// points of 1013 words with them and 1.0 with scales at run time, which take .86 of the time (src/decisions/tune.md).
bool feeds_tokens(const Recipe& recipe) { return recipe.data.state && !recipe.data.state->tokens.empty(); }

}  // namespace

Recipe resolved(Recipe given, const std::string& target, const PlacementOptions& placement, const FormatOptions& format,
                const EqualizeOptions& equalize, const std::filesystem::path& override_file) {
  if (!given.pipeline && is_pipeline_file(given.model)) given.pipeline = read_pipeline_file(given.model);
  given.target = &find_target(target);
  given.target_note = target_note(target);
  given.overrides = read_overrides(override_file);
  given.placement = {placement};
  given.placement.wide_values = wide_values(given.overrides);
  if (given.data.state) given.placement.feeds = given.data.state->feeds;
  FormatOptions chosen = format;
  chosen.dynamic = chosen.dynamic || (feeds_tokens(given) && may_be_dynamic(format, given.placement, *given.target));
  given.format = rewrite_options(chosen, given.placement, *given.target);
  given.float_type = float_type_of(format, *given.target);
  const std::string warning = wide_codes_warning(given.format, given.placement, *given.target);
  if (!warning.empty()) given.run.reporter->warn(warning);
  given.placement = placement_with(given.format, given.placement, *given.target);
  given.placement.dynamic_products = chosen.dynamic;
  given.placement.ruined_products_dynamic =
      given.target->engine.runs_qoperators && !format.activation && placement.type == CodeType::Int8;
  given.placement.ranges_known = !given.measures || given.data.given() || !given.table.empty();
  given.equalize = parse_equalize(equalize.equalize);
  return given;
}

Prepared make(Recipe recipe, Prepared before) {
  Prepared made = std::move(before);
  const bool first = made.plan.target == nullptr, reads = made.float32 == nullptr;
  const bool evens = !first && recipe.equalize.mode != made.recipe.equalize.mode;
  const bool retypes = first || evens || recipe.float32 != made.recipe.float32;
  const bool places = retypes || recipe.kept != made.recipe.kept;
  made.recipe = std::move(recipe);
  const PlacementRequest& placement = made.recipe.placement;
  const bool dynamic =
      placement.dynamic_products || (placement.ruined_products_dynamic && !made.recipe.kept.ruined.empty());
  if (dynamic && !made.apart) made.apart = std::make_shared<const SamplesApart>();
  if (reads) {  // model.onnx -> graph that the target likes, equalized
    size_t restored = 0;
    Model model =
        made.recipe.pipeline ? read_float_model(*made.recipe.pipeline) : read_float_file(made.recipe.model, &restored);
    if (first && restored > 0)
      made.recipe.run.reporter->warn(plural(restored, "constant is", "constants are") +
                                     " stored as codes: they are read as floats, and errors are measured against "
                                     "these; the float model would lose less");
    if (first)
      read_first(made, model);
    else
      read_again(made, model, evens);
    made.float32 = std::make_shared<Model>(std::move(model));
  }
  if (reads || retypes) change_types(made);                  // -> 16 bits where values allow it
  if (retypes) made.shapes = shapes_of(made, made.graph());  // -> sizes of all values
  if (places) place(made, first);                            // rules x target -> placement plan
  // A batch would have one range.
  if (!made.apart && std::ranges::find(made.plan.layers, Runs::Dynamic, &LayerDecision::runs) != made.plan.layers.end())
    made.apart = std::make_shared<const SamplesApart>();
  return made;
}

Prepared changed(Prepared before, Change change) {
  Recipe recipe = before.recipe;
  if (change.kept) recipe.kept = std::move(*change.kept);
  if (change.float32) recipe.float32 = std::move(*change.float32);
  return make(std::move(recipe), std::move(before));
}

Prepared copy_without_model(const Prepared& prepared) {
  return {.recipe = prepared.recipe,
          .facts = prepared.facts,
          .preparation = prepared.preparation,
          .table = prepared.table,
          .data = prepared.data,
          .identified = prepared.identified,
          .inputs = prepared.inputs,
          .equalized = prepared.equalized,
          .shapes = prepared.shapes,
          .plan = prepared.plan,
          .apart = prepared.apart};
}

PlanReport plan_report_of(const Prepared& prepared) {
  PlanReport report = describe_plan(prepared.plan, prepared.graph(), prepared.recipe.model.string(), prepared.facts,
                                    prepared.preparation.folded_batchnorms);
  report.folded_operators = prepared.preparation.folded_operators;
  return report;
}

PlanReport describe_placement(const Prepared& prepared) {
  PlanReport report = plan_report_of(prepared);
  if (prepared.half) add_floats(report, prepared.half->report, prepared.graph(), prepared.plan, prepared.facts);
  const Graph& float32 = prepared.float32->graph();
  if (prepared.inputs) {
    const ValueShapes shapes = prepared.half ? find_shapes(float32, *prepared.inputs) : prepared.shapes;
    report.equalizable = equalizable_values(float32, shapes);
    report.detections = describe(find_detections(float32, shapes));
  } else if (!prepared.recipe.measures)
    describe_without_sizes(prepared, report);
  if (!prepared.recipe.target_note.empty()) report.notes.push_back(prepared.recipe.target_note);
  if (!prepared.identified) return report;
  report.samples = prepared.identified->count();
  report.sample_digest = prepared.identified->digest();
  return report;
}

void release_model(Prepared& prepared) {
  if (prepared.half) prepared.half->model.reset();
  prepared.float32.reset();
}

Model take_model(Prepared& prepared) {
  const bool shared = !prepared.half && prepared.float32.use_count() > 1;
  Model model =
      shared ? prepared.float32->clone() : std::move(prepared.half ? *prepared.half->model : *prepared.float32);
  release_model(prepared);
  return model;
}

}  // namespace detent
