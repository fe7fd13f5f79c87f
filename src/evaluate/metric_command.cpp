#include "evaluate/metric_command.h"

#include <unistd.h>

#include <cmath>

#include "core/files/atomic_file.h"
#include "core/files/child_process.h"
#include "core/files/output_set.h"
#include "core/files/temporary.h"
#include "core/parse.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Returns the last lines of a program's stderr, indented.
std::string indented_tail(const std::string& text) {
  constexpr size_t kShown = 2000;
  std::string tail = trimmed(text.size() > kShown ? text.substr(text.size() - kShown) : text);
  for (size_t at = 0; (at = tail.find('\n', at)) != std::string::npos; at += 3) tail.replace(at, 1, "\n  ");
  return tail.empty() ? "" : "\n  " + tail;
}

/// Returns the metric of a command, which runs in the folder of all outputs.
MetricFunction by_command(const std::string& command) {
  return [command](const OutputFiles& fp32, const OutputFiles& candidate) {
    const CommandResult result = run_command(command, {fp32.folder.string(), candidate.folder.string()});
    const std::string what = "--metric-command '" + command + "'";
    if (result.exit_code != 0)
      throw Error(ErrorCode::InvalidOption,
                  what + " failed with exit code " + std::to_string(result.exit_code) + indented_tail(result.err));
    const std::string text = trimmed(result.out);
    const auto number = parse_number<double>(text);
    if (!number || !std::isfinite(*number))
      throw Error(ErrorCode::InvalidOption,
                  what + " printed " + (text.empty() ? "nothing" : "'" + text.substr(0, 200) + "'") +
                      " where one number was expected" + indented_tail(result.err),
                  "print the number to stdout, larger is better, and everything else to stderr");
    return *number;
  };
}

}  // namespace

MetricCommand::MetricCommand(const EvaluationOptions& options, const std::vector<std::string>& outputs,
                             const std::vector<std::string>& models, int64_t batch)
    : metric_(options.metric ? options.metric : by_command(options.metric_command)),
      folder_(make_temporary_folder("metric")), outputs_(outputs) {
  try {
    for (const std::string& name : file_names_for(models)) {
      Model model{{folder_ / name}, {}};
      make_folder(model.files.folder);
      for (const std::string& output : file_names_for(outputs))
        model.writers.emplace_back(model.files.folder, output, batch, false);
      models_.push_back(std::move(model));
    }
  } catch (...) {
    remove_temporary_folder(folder_);
    throw;
  }
}

MetricCommand::~MetricCommand() {
  models_.clear();  // writers remove what they did not close
  remove_temporary_folder(folder_);
}

void MetricCommand::append(size_t model, const std::vector<Tensor>& outputs, size_t real,
                           std::span<const SampleAxis> axes) {
  auto& writers = models_[model].writers;
  for (size_t i = 0; i < writers.size(); ++i)
    writers[i].append(outputs[i], real, axes.empty() ? SampleAxis{} : axes[i]);
}

void MetricCommand::close() {
  const AtOnce now;  // the command reads them
  for (Model& model : models_)
    for (size_t i = 0; i < outputs_.size(); ++i)
      model.files.outputs.emplace_back(outputs_[i], model.writers[i].close());
}

double MetricCommand::judge(size_t model) const {
  const double number = metric_(models_.front().files, models_[model].files);
  if (!std::isfinite(number))
    throw Error(ErrorCode::InvalidOption, "the metric is " + std::to_string(number) + ", not a finite number");
  return number;
}

}  // namespace detent
