// Models: reading, external data, functions, signatures, preparing, placement and lint, and one run on zeros if the
// model declares its sizes. model_mutator.cpp changes models as models.
#include <optional>

#include "fuzz/fuzz_input.h"
#include "lint/built_for.h"
#include "lint/lint_graph.h"
#include "model/fingerprint.h"
#include "model/graph_patch.h"
#include "model/qoperators.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"

namespace {

using namespace detent;

/// Runs lint as pipeline/lint_model.cpp does, without data and without the run for shapes.
void lint(const Model& written, const Target& target) {
  const LintedFile file(written.graph());
  const QdqReading reading = read_qdq(file.graph);
  std::optional<Model> without_pairs;
  if (!reading.float_patch.empty()) {
    without_pairs = written.clone();
    apply_patch(*without_pairs, reading.float_patch);
  }
  const Graph& graph = without_pairs ? without_pairs->graph() : file.graph;
  const LintedGraph linted = lint_graph(graph, reading, target, {}, file);
  (void)codes_text(reading);
  (void)built_for(linted, graph, reading, target, {}, file);
}

/// Runs the plan as pipeline/plan_model.cpp does.
void plan(const std::filesystem::path& path, const Target& target) {
  Model model = read_float_model(path);
  (void)prepare_model(model, target);
  (void)make_placement_plan(model.graph(), target, {});
  if (const auto shapes = shapes_without_data(model.graph(), {}))
    (void)make_placement_plan(model.graph(), target, {}, *shapes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Returns external data that a model may find beside it.
  static const std::string weights(256, '\1');
  (void)fuzz::as_file(reinterpret_cast<const uint8_t*>(weights.data()), weights.size(), "weights");
  const std::filesystem::path path = fuzz::as_file(data, size, "input.onnx");
  std::optional<Model> model;
  fuzz::expect_documented([&] { model = read_runnable_model(path); });
  if (!model) return 0;
  fuzz::expect_documented([&] { (void)fingerprint(*model); });
  for (const Target& target : target_list()) {
    if (*target.engine.name == "tensorrt" && target.version_major < 10) continue;
    fuzz::expect_documented([&] { lint(*model, target); });
    fuzz::expect_documented([&] { plan(path, target); });
    constexpr size_t kMany = 4096;  // functions in functions: with all targets beyond the time of a unit
    if (model->graph().nodes().size() > kMany) break;
  }
  return 0;
}
