#include "detent/output_files.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/files/reach.h"
#include "detent/base/error.h"
#include "model/file/data_files.h"
#include "pipeline/engines/dla/dla_files.h"
#include "pipeline/parts/pipeline_files.h"
#include "place/engines/target.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput = "--output";

/// Adds the files of a target that takes a float model with a calibration cache.
void add_files_of_target(const std::string& target, const fs::path& output, std::vector<OutputFile>& files) {
  if (find_target(target).engine.takes_pairs) return;
  const DlaPaths paths = dla_paths(output);
  files.push_back({kOutput, paths.cache});
  files.push_back({kOutput, paths.arguments});
}

void add_files_of_pipeline(const QuantizeOptions& options, std::vector<OutputFile>& files) {
  const fs::path pipeline = options.pipeline.empty() ? options.model : options.pipeline;
  if (is_pipeline_file(pipeline))
    std::ranges::move(outputs_of(read_pipeline_file(pipeline), options.output), std::back_inserter(files));
}

}  // namespace

std::vector<OutputFile> files_beside(const QuantizeOptions& options) {
  std::vector<OutputFile> files;
  if (!options.latency.table.empty()) files.push_back({"--latency-table", options.latency.table});
  try {
    // The command itself refuses equal targets.
    const std::set<std::string> different(options.targets.begin(), options.targets.end());
    for (const std::string& target : different) {
      const fs::path output = path_of_target(options.output, target);
      files.push_back({kOutput, output});
      add_files_of_target(target, output, files);
    }
    if (options.targets.empty()) add_files_of_target(options.target, options.output, files);
    if (options.stop_after == StopAfter::Nothing) add_files_of_pipeline(options, files);
  } catch (const Error&) {
    return files;  // the command says what is wrong with them
  }
  return files;
}

std::vector<OutputFile> files_beside(const CalibrateOptions& options) {
  return {{kOutput, options.output.string() + ".partial"}};
}

std::vector<OutputFile> files_beside(const CacheExportOptions& options) {
  if (options.dla.empty()) return {};
  return {{kOutput, dla_paths(options.output).arguments}};
}

void check_distinct(const std::vector<OutputFile>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const OutputFile &one = outputs[i], &other = outputs[k];
      std::error_code error;
      const bool same = place_of(one.path) == place_of(other.path) && !fs::is_character_file(one.path, error);
      const bool data = may_be_data_of(one.path, other.path) || may_be_data_of(other.path, one.path);
      if (!same && !data) continue;
      throw Error(ErrorCode::CannotWrite,
                  one.path.string() + ": " + one.option + " names what " + other.option +
                      (data                         ? " may write its weights to"
                       : one.option == other.option ? " writes, too"
                                                    : " names too"),
                  "choose another name");
    }
}

}  // namespace detent
