#include "cli/program.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/input_files.h"
#include "core/files/reach.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "detent/plan.h"
#include "options/command_inputs.h"
#include "options/groups.h"

namespace detent::cli {

namespace {

namespace fs = std::filesystem;

/// An output, which an option names or leads to.
struct Named {
  std::string option;
  fs::path path;
  bool report = false;
  bool stream = false;  ///< "-" is standard output
};

std::vector<Named> named_outputs(const CLI::App& command, const OptionList& list) {
  std::vector<Named> found;
  for (const Option& option : list.options) {
    const bool report = option.traits.file == FileUse::WritesReport;
    if (!report && option.traits.file != FileUse::Writes) continue;
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

bool is_stream(const Named& output) {
  return output.stream && (output.path == "-" || output.path == "true" || output.path == "false");
}

}  // namespace

void check_values(const CLI::App& command, const OptionList& list) {
  for (const Option& option : list.options) {
    if (option.only_key()) continue;
    const std::vector<std::string> given = command.get_option(option.long_name())->results();
    if (!given.empty() && !option.traits.key_of.empty() && !texts_of_key(command, option).empty())
      throw Error(ErrorCode::Usage, option.long_name() + " and " + option.spelling() + "= are both given",
                  "remove " + option.long_name());
    if (option.traits.file != FileUse::None && std::ranges::count(given, "") > 0)
      throw Error(ErrorCode::Usage, option.long_name() + ": the path is empty");
  }
}

std::vector<InputFiles::Source> input_sources(const CLI::App& command, const OptionList& list) {
  std::vector<InputFiles::Source> sources = detent::input_sources(list);
  for (const CLI::App* app = &command; app; app = app->get_parent())
    if (const CLI::Option* config = app->get_config_ptr())
      for (const std::string& file : config->results())
        sources.push_back({"--config", [file] { return std::vector<fs::path>{file}; }});
  return sources;
}

namespace {

/// Returns the paths that "[INPUT=]SRC" may mean; none for data that are no files.
std::vector<fs::path> meant_paths(const std::string& source) {
  std::vector<fs::path> paths;
  for (size_t at = 0; at != std::string::npos; at = source.find('=', at)) {
    if (at > 0) ++at;
    const std::string text = source.substr(at);
    if (text.starts_with("random:") || text.starts_with("text:")) return {};
    paths.emplace_back(text);
  }
  return paths;
}

/// Returns an error for each model and each data source that is not there.
std::vector<Error> missing_inputs(const CLI::App& command, const OptionList& list) {
  std::vector<Error> errors;
  for (const Option& option : list.options) {
    const bool is_data = std::holds_alternative<DataOptions*>(option.into);
    const bool is_model =  // one; a list may name folders, which their command judges
        option.traits.file == FileUse::ReadsModel && std::holds_alternative<fs::path*>(option.into);
    if (option.only_key() || (!is_data && !is_model)) continue;
    for (const std::string& text : command.get_option(option.long_name())->results()) {
      const std::vector<fs::path> paths = is_data ? meant_paths(text) : std::vector<fs::path>{text};
      const auto may_be_right = [](const fs::path& path) { return path.empty() || is_there(path); };
      if (paths.empty() || std::ranges::any_of(paths, may_be_right)) continue;  // an empty one is named elsewhere
      errors.emplace_back(is_data ? ErrorCode::InvalidData : ErrorCode::InvalidModel,
                          paths.back().string() + ": " + no_reach(paths.back()));
    }
  }
  return errors;
}

struct NamingOption {
  std::string_view option;
  NameKind kind;
  bool lists;  ///< names between commas
};
constexpr NamingOption kNamingOptions[] = {{"--target", NameKind::Target, true},
                                           {"--targets", NameKind::Target, true},
                                           {"--calibrator", NameKind::Calibrator, false},
                                           {"--calibrators", NameKind::Calibrator, true},
                                           {"--preprocess", NameKind::Preprocessing, false}};

/// Returns an error for each name of an engine, a calibrator or a preprocessing that there is not.
std::vector<Error> unknown_names(const CLI::App& command, const OptionList& list) {
  std::vector<Error> errors;
  for (const Option& option : list.options) {
    const auto* naming = std::ranges::find(kNamingOptions, option.long_name(), &NamingOption::option);
    if (naming == std::end(kNamingOptions) || option.only_key()) continue;
    std::vector<std::string> names;
    for (const std::string& text : command.get_option(option.long_name())->results())
      if (naming->lists)
        add_parts(text, names);
      else
        names.push_back(text);
    for (const std::string& name : names) try {
        if (option.traits.check) option.traits.check(option.long_name(), name);
        if (!name.empty()) check_name(naming->kind, name);  // an empty one is named elsewhere
      } catch (const Error& error) {
        errors.push_back(error);
      }
  }
  return errors;
}

void check_outputs(const CLI::App& command, const OptionList& list, const std::vector<OutputFile>& beside) {
  std::vector<Named> outputs = named_outputs(command, list);
  std::erase_if(outputs, is_stream);
  for (const OutputFile& file : beside) outputs.push_back({file.option, file.path});
  for (const Named& output : outputs)
    if (const auto input = find_input_file(output.path))
      refuse(output, "'" + input->path.string() + "', which " + input->reader + " reads");
  std::vector<OutputFile> all;
  for (const Named& output : outputs) all.push_back({output.option, output.path});
  check_distinct(all);
  const bool overwrite =
      command.get_option("--overwrite")->count() > 0 && command.get_option("--overwrite")->as<bool>();
  for (const Named& output : outputs) {
    if (output.report && output.path == "-")
      throw Error(ErrorCode::Usage, output.option + " needs a FILE: only --json can go to standard output");
    if (output.report) check_writable(output.path, overwrite);
  }
}

/// Returns "a; hint".
std::string with_hint(const Error& error) { return error.what() + (error.hint().empty() ? "" : "; " + error.hint()); }

}  // namespace

void check_files(const CLI::App& command, const OptionList& list, const std::vector<OutputFile>& beside) {
  std::vector<Error> errors = missing_inputs(command, list);
  const std::vector<Error> names = unknown_names(command, list);
  errors.insert(errors.end(), names.begin(), names.end());
  try {
    check_outputs(command, list, beside);
    if (errors.empty()) return;
    const CLI::Option* overwrite = command.get_option_no_throw("--overwrite");
    const bool overwrites = overwrite && overwrite->count() > 0 && overwrite->as<bool>();
    const bool one = command.get_option_no_throw("--target") == nullptr || command.get_option("--target")->count() < 2;
    for (const Named& output : named_outputs(command, list))
      if (one && !output.report && !is_stream(output) && !is_folder(output.path))
        check_writable(output.path, overwrites);
  } catch (const Error& error) {
    errors.push_back(error);
  }
  if (errors.size() == 1) throw errors.front();
  throw Error(errors.front().code(),
              std::to_string(errors.size()) + " things are wrong:\n  " + join(errors, "\n  ", with_hint));
}

}  // namespace detent::cli
