#include "pipeline/parts/pipeline_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/files/atomic_file.h"
#include "core/files/output_set.h"
#include "detent/base/error.h"
#include "detent/base/input_files.h"
#include "evaluate/judge.h"
#include "model/origin.h"
#include "pipeline/parts/pipeline_options.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/written_file.h"
#include "prepare/join_files.h"
#include "prepare/read_model_to_run.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr size_t kFewSteps = 32;  // of an example, where no number is known

/// Checks that the command names the files of the pipeline, and no others.
void check_named(const QuantizeOptions& given, const PipelineFile& pipeline) {
  std::vector<fs::path> named = given.models;
  if (given.model != given.pipeline) named.insert(named.begin(), given.model);
  const auto are_same = [](const fs::path& one, const fs::path& other) {
    std::error_code none;
    return one == other || fs::equivalent(one, other, none);
  };
  for (const fs::path& path : named)
    if (std::ranges::none_of(pipeline.files, [&](const auto& file) { return are_same(file.path, path); }))
      throw Error(ErrorCode::Usage, path.string() + ": is none of the files that " + given.pipeline.string() + " names",
                  "paths in it are relative to its folder, or to the current one");
  for (const PipelineFile::File& file : pipeline.files)
    if (!named.empty() && std::ranges::none_of(named, [&](const auto& path) { return are_same(file.path, path); }))
      throw Error(ErrorCode::Usage, given.pipeline.string() + ": its file '" + file.name + "', " + file.path.string() +
                                        ", is not given beside the others");
}

void refuse_for_pipelines(bool given, const std::string& option, const std::string& why,
                          const std::string& cure = "remove one of the two") {
  if (given) throw Error(ErrorCode::Usage, option + " does not go with --pipeline: " + why, cure);
}

/// Refuses states that the pipeline's file does not have, and steps without any; says what to write there.
void refuse_other_states(const QuantizeOptions& given, const PipelineFile& file) {
  const std::string cure =
      "write in " + file.path.string() + ": \"loop\": {\"model\": \"" + (file.looped.empty() ? "FILE" : file.looped) +
      "\", \"steps\": " + std::to_string(given.data.steps.value_or(file.steps.value_or(kFewSteps))) +
      ", \"state\": {\"feeds\": {\"OUTPUT\": \"INPUT\"}}}";
  refuse_for_pipelines(!given.data.state.empty(), "--state", "its states are those of \"loop\" in its file", cure);
  refuse_for_pipelines(given.data.steps && !file.steps, "--steps", "its file has no \"loop\", whose steps they are",
                       cure);
}

void refuse_options_of_one_file(const QuantizeOptions& given) {
  refuse_for_pipelines(given.latency.given(), "--latency-command", "one file is timed");
  refuse_for_pipelines(given.stop_after == StopAfter::Prepare || given.stop_after == StopAfter::Rewrite,
                       "--stop-after " + std::string(name_of(given.stop_after)), "it writes one file");
  refuse_for_pipelines(given.format.io == IoType::Same, "--format io-type=same",
                       "what goes from file to file keeps its type");
  refuse_for_pipelines(!find_target(given.target).engine.takes_pairs, "--target " + given.target,
                       "it takes one float file with a calibration cache");
}

/// Returns the path in the folder that a file is written to.
fs::path output_of(const fs::path& folder, const fs::path& model) { return folder / model.filename(); }

/// Returns the provenance of one file.
Provenance provenance_of(const Provenance& joined, const std::string& file, const Model& original) {
  Provenance own = joined;
  own.source_producer = producer_of(original);
  own.float_layers.clear();
  for (const auto& [node, reason] : joined.float_layers)
    if (file_of_name(node) == file) own.float_layers.emplace(node.substr(file.size() + 1), reason);
  return own;
}

}  // namespace

std::optional<PipelineFile> take_pipeline(QuantizeOptions& options) {
  if (options.pipeline.empty()) {
    if (!options.models.empty())
      throw Error(ErrorCode::Usage, "several models need --pipeline FILE.json, which says what feeds what",
                  "a model alone: a command for each");
    if (!is_pipeline_file(options.model)) return std::nullopt;
    options.pipeline = options.model;
  }
  if (!is_pipeline_file(options.pipeline))
    throw Error(ErrorCode::Usage, "--pipeline: " + options.pipeline.string() + " does not end in .json");
  refuse_options_of_one_file(options);
  PipelineFile file = read_pipeline_file(options.pipeline);
  refuse_other_states(options, file);
  check_named(options, file);
  options.model = options.pipeline;
  complete_options(file, options.data, &options.bound.evaluation.data);
  complete_options(file, options.bound.evaluation);
  return file;
}

std::vector<OutputFile> outputs_of(const PipelineFile& pipeline, const fs::path& folder) {
  std::vector<OutputFile> outputs;
  std::set<fs::path> names;
  for (const PipelineFile::File& file : pipeline.files)
    if (names.insert(file.path.filename()).second)  // check_pipeline_outputs() refuses a name that occurs twice
      outputs.push_back({"--output", output_of(folder, file.path)});
  return outputs;
}

void check_pipeline_outputs(const PipelineFile& pipeline, const fs::path& folder, bool overwrite) {
  std::error_code none;
  const bool is_there = fs::is_directory(folder, none);
  if (!is_there) check_writable(folder, false);  // a file of that name, or no folder above it
  std::vector<fs::path> outputs;
  for (const PipelineFile::File& file : pipeline.files) {
    outputs.push_back(output_of(folder, file.path));
    if (std::ranges::find(outputs, outputs.back()) != outputs.end() - 1)
      throw Error(ErrorCode::InvalidOption,
                  pipeline.path.string() + ": two files are named " + file.path.filename().string() +
                      ", and all are written to one folder",
                  "copy one of them under another name");
    if (is_there) check_writable(outputs.back(), overwrite);
  }
}

std::vector<InputFiles::Source> sources_of(const std::optional<PipelineFile>& pipeline) {
  std::vector<InputFiles::Source> sources;
  if (!pipeline) return sources;
  for (const PipelineFile::File& file : pipeline->files)
    sources.push_back({"--pipeline", [path = file.path] { return files_of_model(path); }});
  return sources;
}

PipelineFiles::PipelineFiles(const QuantizeOptions& options, const std::optional<PipelineFile>& pipeline)
    : options_(options) {
  if (!pipeline) return;
  feeds_ = pipeline->feeds, frames_ = pipeline->frames;
  std::vector<std::string> names;
  for (const PipelineFile::File& file : pipeline->files) names.push_back(file.name);
  for (const std::string& name : running_order(names, feeds_)) {
    const fs::path path = std::ranges::find(pipeline->files, name, &PipelineFile::File::name)->path;
    ModelFacts facts = facts_of(read_model(path));
    PipelineFileReport report{.name = name,
                              .model = path.string(),
                              .output = output_of(options.output, path).string(),
                              .opset = facts.opset,
                              .model_bytes = facts.bytes};
    files_.push_back({std::move(report), std::move(facts)});
  }
}

Model PipelineFiles::join(const std::string& quantized) const {
  std::vector<NamedModel> models;
  for (const File& file : files_)
    models.push_back({file.report.name, quantized.empty() || file.report.name == quantized
                                            ? file.model->clone()
                                            : read_float_file(file.report.model)});
  return join_files(std::move(models), feeds_, options_.pipeline, frames_);
}

void PipelineFiles::take(Model& joined, const Provenance& provenance, const std::map<std::string, size_t>& ranks) {
  for (File& file : files_) {
    const Model original = read_model(file.report.model);
    file.model = take_file(joined, file.report.name, original, ranks);
    write_provenance(*file.model, provenance_of(provenance, file.report.name, original));
  }
  joined = join({});
}

void PipelineFiles::measure(const ClosingSamples& samples, const QuantizeReport& report) {
  for (File& file : files_) {
    for (const PlanReport::Layer& layer : report.plan.layers) {
      if (file_of_name(layer.name) != file.report.name) continue;
      ++file.report.layers;
      if (layer.runs_on_codes()) ++file.report.int8_layers;
    }
    const bool has_pairs = std::ranges::any_of(
        report.values, [&](const auto& value) { return file_of_name(value.name) == file.report.name; });
    if (!has_pairs && file.report.int8_layers == 0) continue;
    const auto closing = samples.error_of(join(file.report.name), options_.run);
    if (!closing) continue;
    file.report.error = closing->report;
    file.report.quality = judge({.calibration_samples = report.samples, .closing = *closing}).quality;
  }
}

void PipelineFiles::write(const Target& target, QuantizeReport& report) {
  OutputSet written;
  make_folder(options_.output);
  QuantizeOptions where = options_;
  for (File& file : files_) {
    where.output = file.report.output;
    write_quantized(*file.model, file.facts, where, file.report);
    if (const auto next = *target.engine.next_command)
      file.report.next_command =
          next(target, {file.report.output, report.plan.coverage.type, file.report.int8_layers > 0});
    report.output_bytes += file.report.output_bytes;
    report.written_opset = std::max(report.written_opset, file.report.written_opset);
  }
  written.commit();
  report.next_command.clear();
  for (File& file : files_) {
    if (!file.report.next_command.empty())
      report.next_command += (report.next_command.empty() ? "" : " && ") + file.report.next_command;
    report.files.push_back(std::move(file.report));
  }
}

}  // namespace detent
