#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detent/error.h"
#include "detent/progress.h"
#include "options/commands.h"
#include "report/html/origin.h"

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

/// The program as CLI11 sees it: every command with its options. `detent` parses with it; the manual and the completions are made of it.
struct Program {
  CLI::App app{"Detent: post-training quantization of ONNX models", "detent"};
  bool quiet = false, print_config = false;
  std::vector<Declared> commands;
  std::vector<OldSpelling> old_spellings;
};

/// Fills a fresh `program`.
void declare(Program& program);

/// Declares the commands with their options and actions.
void declare_commands(Program& program);
/// Declares the options on `app`, in their order. Values land where `list` says while `app` parses; `list` stays where it is until then.
/// Errors  Usage, while it parses, for text that is none of an option's values.
void declare_options(CLI::App& app, const OptionList& list);

/// Declares on the old commands what their spellings need.
void declare_old_spellings(Program& program);
/// Returns the arguments that a parsed old spelling stands for, nullopt for other commands.
/// Errors  Usage for an option of the old command that the new one does not have, and for one of the new without the spelling.
[[nodiscard]] std::optional<std::vector<std::string>> new_spelling(const Program& program);

/// Looks at all options of a parsed command that name files. A file that the command reads is never written by it, --overwrite or not.
/// Errors  CannotWrite when an output is an input under whatever name (links resolved), an existing file among the samples of a
/// folder, that folder itself, or another output, naming both options; for a report that exists, without --overwrite, or cannot be made.
/// Usage for a page called "-".
void check_files(const CLI::App& command, const OptionList& list);

/// Returns the options of a parsed command as a TOML section that --config reads back: what was given, and defaults that have a value.
[[nodiscard]] std::string config_text(const CLI::App& command);

/// Returns "detent" and "detent help [COMMAND...]" as the arguments that print that help; all others as they are.
[[nodiscard]] std::vector<std::string> with_help(std::vector<std::string> arguments);
/// Errors  Usage when the first argument is neither an option nor a command; CLI11 would only miss a command.
void refuse_unknown_command(const Program& program, const std::vector<std::string>& arguments);
/// Says what is wrong with arguments that `app` could not parse: an option that does not exist goes before one that is missing, which it
/// may stand for. The hint says which of the options or subcommands of the command was likely meant; else where they are listed.
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& error);

/// Returns "detent" and the arguments as a shell takes them; those with characters that mean something to one stand in single quotes.
[[nodiscard]] std::string typed_command(std::span<const char* const> arguments);

/// Writes the document where `options` want it. Makes it only there.
void write_json(const ReportOptions& options, const std::function<std::string()>& document);
/// Writes the page, made of what it says of its origin, where `options` want one. The page says the command line and the digests of
/// `model`, and the date of the environment's SOURCE_DATE_EPOCH, seconds since 1970, where that is set.
/// Source  reproducible-builds.org/specs/source-date-epoch.
void write_html(const ReportOptions& options, const std::filesystem::path& model, const std::string& command,
                const std::function<std::string(const PageOrigin&)>& page);
/// Prints the text, unless the document goes to standard output.
void print(const ReportOptions& options, const std::string& text);

/// Arguments in which every --json has its value behind an "=". One that stands alone gets "-"; the argument behind it is its FILE
/// when it is "-" or ends in .json, or is no option, nothing that exists and neither model nor table: `plan --json model.onnx`
/// prints, `plan model.onnx --json plan.json` writes.
[[nodiscard]] std::vector<std::string> with_json_values(const std::vector<std::string>& arguments);

/// From now on SIGINT, SIGTERM and SIGHUP set interrupted(), which work looks at between two steps; a thread of this object's own ends the
/// process with code 130 and without half files (core/files/unfinished.h) where it does not end by itself within a second, as in a
/// product of hours, and with a second signal. A write beyond the limit of a file's size fails
/// instead of ending the process, and a mapped file that becomes shorter ends it with a message. Called once.
void watch_signals();

/// The caller is about to say that the process was interrupted, and to end it. Does not return where the thread above does so already:
/// it is said once.
void claim_interruption();

/// The command keeps what it has computed when it is interrupted: it is given the time that the running step takes. A second signal
/// ends it at once all the same.
void keep_work_when_interrupted();

/// "1a2b3c4d5e6f", "1a2b3c4d5e6f-changed" where the sources were changed since; empty where it is not known. Made when Detent is built.
[[nodiscard]] std::string_view commit();

/// Returns the exit code of `detent`.
int run_program(int argc, char** argv);

}  // namespace detent::cli
