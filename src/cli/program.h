#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/input_files.h"
#include "core/files/output_set.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/output_files.h"
#include "options/option.h"

namespace detent::cli {

/// Context of every command.
struct Environment {
  Reporter& reporter;
  OutputSet& outputs;        ///< what the command writes
  std::string command = {};  ///< the command line, for pages
};

/// A command as CLI11 sees it. `run` acts on its parsed options and returns the exit code.
struct Declared {
  CLI::App* app;
  const OptionList* options;  ///< lives as long as `run`
  std::function<int(Environment&)> run;
};

/// The program as CLI11 sees it, with every command and option. `detent` parses with it; the manual and the completions
/// are made from it.
struct Program {
  CLI::App app{"Detent: post-training quantization of ONNX models", "detent"};
  bool quiet = false, print_config = false, json_progress = false;
  std::optional<std::string> long_help;  ///< the command whose manual follows its help: "cache export"; "" for all
  std::vector<Declared> commands;
  OptionList limits;  ///< options of all commands that the help of the program shows
};

/// Fills a fresh `program`.
void declare(Program& program);

/// Declares the commands with their options and actions.
void declare_commands(Program& program);
/// Declares the options on `app`, in their order. Parsing sets the members that `list` names; `list` must live until
/// then. Errors  Usage, while parsing, for an invalid value.
void declare_options(CLI::App& app, const OptionList& list);

/// Returns the values that KEY=VALUE gives to a key of a parsed command.
[[nodiscard]] std::vector<std::string> texts_of_key(const CLI::App& command, const Option& key);
/// Returns the options of a parsed command as a section for --config: given values, and defaults that are not empty.
[[nodiscard]] std::string config_text(const CLI::App& command, const OptionList& list);

/// Checks that no option of a parsed command names a file by an empty path, and that no key is given under its name,
/// too. Errors  Usage.
void check_values(const CLI::App& command, const OptionList& list);
/// Returns the files that the options of a parsed command name as inputs, and the configuration.
[[nodiscard]] std::vector<InputFiles::Source> input_sources(const CLI::App& command, const OptionList& list);
/// Checks what can be known of files before they are read: models and data that are not there, and outputs, while the
/// inputs are protected. Several faults are told together.
/// beside  files that it writes besides those that options name
/// Errors  InvalidModel or InvalidData for what is not there. CannotWrite for an output that is an input or another
///         output, naming both options; for a report that exists, without --overwrite, or cannot be written. Usage for
///         a page called "-".
void check_files(const CLI::App& command, const OptionList& list, const std::vector<OutputFile>& beside);

/// Parses the arguments of "detent"; --json alone means standard output.
/// Errors  Usage with the likely spelling; CLI::Success where help or the version is to be printed.
void parse(Program& program, const std::vector<std::string>& typed);
/// Returns "detent" and the arguments as typed in a shell, quoted where needed.
[[nodiscard]] std::string typed_command(std::span<const char* const> arguments);

/// Makes SIGINT, SIGTERM and SIGHUP set interrupted(), which work checks between steps. A thread ends the process with
/// code 130 and without partial files if it does not end within a second, or as soon as there is no work to finish
/// (core/files/unfinished.h), and at a second signal. A write beyond the file size limit fails instead of ending the
/// process; a mapped file that becomes shorter ends it with a message. Called once.
void watch_signals();

/// Claims the right to print that the process was interrupted, before it ends. Does not return if the thread above has
/// already done so.
void claim_interruption();

/// Returns "1a2b3c4d5e6f", or "1a2b3c4d5e6f-changed" for modified sources; "" if unknown. Determined by the build.
[[nodiscard]] std::string_view commit();

}  // namespace detent::cli
