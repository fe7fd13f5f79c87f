#include "cli/program.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files/atomic_file.h"
#include "detent/base/error.h"

namespace detent::cli {

namespace {

namespace fs = std::filesystem;

// Outputs of commands are not samples, so they may lie in a folder of samples.
constexpr const char* kOwnEndings[] = {".onnx", ".dct", ".json", ".html", ".cache"};

struct Named {
  std::string option;
  fs::path path;
  bool report = false;
  bool stream = false;  ///< "-" is standard output
};

/// Returns the files that are read or written, by their options.
std::vector<Named> named_by(const CLI::App& command, const OptionList& list, bool written) {
  std::vector<Named> found;
  for (const Option& option : list.options) {
    const bool report = option.traits.file == FileUse::WritesReport;
    if (option.traits.file == FileUse::None || (report || option.traits.file == FileUse::Writes) != written) continue;
    const bool stream = !std::holds_alternative<fs::path*>(option.into);
    for (const std::string& text : command.get_option(option.long_name())->results())
      found.push_back({option.long_name(), text, report, stream});
  }
  return found;
}

[[noreturn]] void refuse(const Named& output, const std::string& why) {
  throw Error(ErrorCode::CannotWrite, output.path.string() + ": " + output.option + " names " + why,
              "choose another name");
}

void check_against(const Named& output, const std::string& option, const fs::path& input) {
  std::error_code error;
  if (!fs::exists(input, error) || !fs::exists(output.path, error)) return;
  if (fs::equivalent(input, output.path, error) && !fs::is_character_file(input, error))
    refuse(output, "what " + option + " reads");
  if (!fs::is_directory(input, error) || fs::is_directory(output.path, error)) return;
  const fs::path inside = fs::canonical(output.path, error).lexically_relative(fs::canonical(input, error));
  const bool is_own = std::ranges::find(kOwnEndings, output.path.extension()) != std::end(kOwnEndings);
  if (!inside.empty() && *inside.begin() != ".." && !is_own)
    refuse(output, "a file in '" + input.string() + "', which " + option + " reads");
}

/// Returns the files that "[INPUT=]SRC" may name: all of it, SRC, and both files of text:FILE,vocab=FILE,...
std::vector<fs::path> named_files(const std::string& text) {
  std::vector<fs::path> files{text};
  if (const size_t equals = text.find('='); equals != std::string::npos) files.emplace_back(text.substr(equals + 1));
  const size_t prefix = text.find("text:");
  if (prefix == std::string::npos || (prefix > 0 && text[prefix - 1] != '=')) return files;
  const std::string rest = text.substr(prefix + 5);
  for (const char* key : {",vocab=", ",length=", ",field="})
    if (const size_t at = rest.rfind(key); at != std::string::npos) files.emplace_back(rest.substr(0, at));
  files.emplace_back(rest);
  if (const size_t at = rest.rfind(",vocab="); at != std::string::npos)
    files.emplace_back(rest.substr(at + 7, rest.find(',', at + 7) - (at + 7)));
  return files;
}

bool is_stream(const Named& output) {
  return output.stream && (output.path == "-" || output.path == "true" || output.path == "false");
}

void check_each_other(const std::vector<Named>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = i + 1; k < outputs.size(); ++k) {
      std::error_code error;
      const fs::path one = fs::weakly_canonical(outputs[i].path, error);
      if (one.empty()) continue;  // it cannot be reached
      if (one == fs::weakly_canonical(outputs[k].path, error) && !fs::is_character_file(one, error))
        refuse(outputs[k], "what " + outputs[i].option + " names too");
    }
}

}  // namespace

void check_files(const CLI::App& command, const OptionList& list) {
  std::vector<Named> outputs = named_by(command, list, true), inputs = named_by(command, list, false);
  for (const auto& named : {outputs, inputs})
    for (const Named& one : named)
      if (one.path.empty()) throw Error(ErrorCode::Usage, one.option + ": the path is empty");
  std::erase_if(outputs, is_stream);
  for (const CLI::App* app = &command; app; app = app->get_parent())
    if (const CLI::Option* config = app->get_config_ptr())
      for (const std::string& file : config->results()) inputs.push_back({"--config", file});
  for (const Named& input : inputs)
    for (const fs::path& file : named_files(input.path.string()))
      for (const Named& output : outputs) check_against(output, input.option, file);
  check_each_other(outputs);
  const bool overwrite =
      command.get_option("--overwrite")->count() > 0 && command.get_option("--overwrite")->as<bool>();
  for (const Named& output : outputs) {
    if (output.report && output.path == "-")
      throw Error(ErrorCode::Usage, output.option + " needs a FILE: only --json can go to standard output");
    if (output.report) check_writable(output.path, overwrite);
  }
}

}  // namespace detent::cli
