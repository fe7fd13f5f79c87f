#include "cli/check_files.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/error.h"

namespace detent::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRead[] = {"MODEL",  "--model", "FILE",       "TABLE",    "F",       "--table",
                                 "--data", "--eval",  "--override", "--labels", "--masks", "--config"};
constexpr const char* kWritten[] = {"--output", "--json", "--html", "--report"};
// What the commands write is no sample, so it may lie among them.
constexpr const char* kOwnEndings[] = {".onnx", ".dct", ".json", ".html", ".cache"};

struct Named {
  std::string option;
  fs::path path;
};

std::vector<Named> named_by(const CLI::App& command, std::span<const char* const> options) {
  std::vector<Named> found;
  for (const char* name : options)
    for (const CLI::App* app = &command; app; app = app->get_parent())
      if (const CLI::Option* option = app->get_option_no_throw(name)) {
        for (const std::string& text : option->results()) found.push_back({name, text});
        break;
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

/// What "[INPUT=]SRC" may name: all of it, SRC, and of text:FILE,vocab=FILE,... both files.
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

bool is_stream(const Named& output) { return output.path == "-" || output.path == "true" || output.path == "false"; }

}  // namespace

void check_files(const CLI::App& command) {
  for (const CLI::App* nested : command.get_subcommands()) return check_files(*nested);
  std::vector<Named> outputs = named_by(command, kWritten);
  std::erase_if(outputs, is_stream);
  for (const Named& input : named_by(command, kRead))
    for (const fs::path& file : named_files(input.path.string()))
      for (const Named& output : outputs) check_against(output, input.option, file);
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = i + 1; k < outputs.size(); ++k) {
      std::error_code error;
      const fs::path one = fs::weakly_canonical(outputs[i].path, error);
      if (one == fs::weakly_canonical(outputs[k].path, error) && !fs::is_character_file(one, error))
        refuse(outputs[k], "what " + outputs[i].option + " names too");
    }
}

}  // namespace detent::cli
