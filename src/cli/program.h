#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "options/option.h"

namespace detent::cli {

/// Given to every command.
struct Environment {
  Reporter& reporter;
  std::string command = {};  ///< the command line, for pages
};

/// A command as CLI11 sees it. `run` does what its parsed options say and returns the exit code.
struct Declared {
  CLI::App* app;
  std::function<int(Environment&)> run;
};

/// An option that became a command: giving it runs `now` with the same options, some under other names.
struct OldSpelling {
  CLI::App *old, *now;
  std::string option;                          ///< of `old`
  std::map<std::string, std::string> renamed;  ///< by its name in `old`
};

/// The program as CLI11 sees it: every command with its options. `detent` parses with it; the manual and the
/// completions are made of it.
struct Program {
  CLI::App app{"Detent: post-training quantization of ONNX models", "detent"};
  bool quiet = false, print_config = false;
  std::optional<std::string> long_help;  ///< the command whose manual follows its help: "cache export"; "" for all
  std::vector<Declared> commands;
  std::vector<OldSpelling> old_spellings;
};

/// Fills a fresh `program`.
void declare(Program& program);

/// Declares the commands with their options and actions.
void declare_commands(Program& program);
/// Declares the options on `app`, in their order. Values land where `list` says while `app` parses; `list` stays where
/// it is until then.
/// Errors  Usage, while it parses, for text that is none of an option's values.
void declare_options(CLI::App& app, const OptionList& list);

/// Declares on the old commands what their spellings need.
void declare_old_spellings(Program& program);
/// Returns the arguments that a parsed old spelling stands for, nullopt for other commands.
/// Errors  Usage for an option of the old command that the new one does not have, and for one of the new without the
/// spelling.
[[nodiscard]] std::optional<std::vector<std::string>> new_spelling(const Program& program);

/// Looks at all options of a parsed command that name files. A file that the command reads is never written by it,
/// --overwrite or not.
/// Errors  CannotWrite when an output is an input under whatever name (links resolved), an existing
/// file among the samples of a folder, that folder itself, or another output, naming both options; for a report that
/// exists, without --overwrite, or cannot be made. Usage for a page called "-".
void check_files(const CLI::App& command, const OptionList& list);

/// Parses what was typed behind "detent"; a --json that stands alone means standard output.
/// Errors  Usage naming what was likely meant; CLI::Success where help or the version is to be printed.
void parse(Program& program, const std::vector<std::string>& typed);
/// Returns "detent" and the arguments as a shell takes them; those with characters that mean something to one stand in
/// single quotes.
[[nodiscard]] std::string typed_command(std::span<const char* const> arguments);

/// From now on SIGINT, SIGTERM and SIGHUP set interrupted(), which work looks at between two steps; a thread of this
/// object's own ends the process with code 130 and without half files (core/files/unfinished.h) where it does not end
/// by itself within a second, as in a product of hours, and with a second signal. A write beyond the limit of a file's
/// size fails instead of ending the process, and a mapped file that becomes shorter ends it with a message. Called
/// once.
void watch_signals();

/// The caller is about to say that the process was interrupted, and to end it. Does not return where the thread above
/// does so already: it is said once.
void claim_interruption();

/// The command keeps what it has computed when it is interrupted: it is given the time that the running step takes. A
/// second signal ends it at once all the same.
void keep_work_when_interrupted();

/// "1a2b3c4d5e6f", "1a2b3c4d5e6f-changed" where the sources were changed since; empty where it is not known. Made when
/// Detent is built.
[[nodiscard]] std::string_view commit();

/// Returns the exit code of `detent`.
int run_program(int argc, char** argv);

}  // namespace detent::cli
