#include "cli/help_format.h"
#include "cli/manual_text.h"
#include "cli/program.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>

#include "core/shown_text.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent::cli {

namespace {

/// Returns large blocks to the system when they are freed. By default glibc keeps them in the heaps of the threads, and
/// memory grows with the number of samples (bench/peak_memory: 12 % from 16 to 256).
void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 512 * 1024;
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

int report(const Error& error) {
  if (error.code() == ErrorCode::Interrupted) claim_interruption();
  // Names come from files, so control characters are escaped. Lists in messages have separate lines.
  std::fprintf(stderr, "detent: %s\n", shown_text(error.what(), Lines::Keep).c_str());
  if (!error.hint().empty()) std::fprintf(stderr, "hint: %s\n", shown_text(error.hint(), Lines::Keep).c_str());
  return static_cast<int>(error.code());
}

/// Returns a TOML string. CLI11 2.1.2 reads no escapes, so text with quotes or backslashes becomes a literal string.
std::string toml_quoted(const std::string& text) {
  const char mark = text.find_first_of("\"\\") == std::string::npos ? '"' : '\'';
  return mark + text + mark;
}

std::string key_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
}

std::string value_of(const CLI::Option& option) {
  const bool repeatable = option.get_items_expected_max() > 1 || option.count() > 1;
  const std::string list = join(option.results(), ", ", toml_quoted);
  return repeatable ? "[" + list + "]" : list;
}

/// Returns "cache.export".
std::string section_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent->get_parent() ? section_name(*parent) + "." : "") + command.get_name();
}

/// Returns the options of a parsed command as a TOML section for --config: given values, and defaults that are not
/// empty.
std::string config_text(const CLI::App& command) {
  std::string text = "[" + section_name(command) + "]\n";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    const bool flag = option->get_items_expected_max() == 0;
    if (flag)
      text += key_of(*option) + " = " + (option->count() > 0 && option->as<bool>() ? "true" : "false") + "\n";
    else if (option->count() > 0)
      text += key_of(*option) + " = " + value_of(*option) + "\n";
    else if (!option->get_default_str().empty())
      text += key_of(*option) + " = " + toml_quoted(option->get_default_str()) + "\n";
  }
  return text;
}

int run(const Program& parsed, Environment& environment) {
  for (const Declared& command : parsed.commands) {
    if (!command.app->parsed()) continue;
    if (!parsed.print_config) return command.run(environment);
    std::cout << config_text(*command.app);
  }
  return 0;
}

/// Runs a command under its old spelling, and prints the new one.
int run_under(const std::vector<std::string>& arguments, Environment& environment) {
  std::fprintf(stderr, "hint: this is now 'detent %s'\n", arguments.front().c_str());
  Program program;
  declare(program);
  parse(program, arguments);
  return run(program, environment);
}

/// Flushes standard output and returns the exit code; a failed write (full disk) is an error.
int flushed(int code) {
  std::cout.flush();
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) || code != 0) return code;
  return report(Error(ErrorCode::CannotWrite, "standard output cannot be written"));
}

}  // namespace

int run_program(int argc, char** argv) {
  return_large_blocks();
  watch_signals();
  Program program;
  try {
    declare(program);
    parse(program, {argv + 1, argv + argc});
    const auto reporter = make_terminal_reporter(program.quiet);
    Environment environment{*reporter, typed_command({argv + 1, argv + argc})};
    const auto others = program.print_config ? std::nullopt : new_spelling(program);
    return flushed(others ? run_under(*others, environment) : run(program, environment));
  } catch (const CLI::Success& success) {
    program.app.exit(success);
    if (program.long_help) std::cout << "\n" << manual_text(*program.long_help, help_width());
    return flushed(0);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(Error(ErrorCode::Internal, "out of memory",
                        "fewer --threads need less; --max-memory refuses earlier and names the large tensor"));
  } catch (const std::filesystem::filesystem_error& error) {
    return report(Error(ErrorCode::InvalidData, error.path1().string() + ": " + error.code().message()));
  } catch (const std::exception& error) {
    return report(Error(ErrorCode::Internal, std::string("internal error: ") + error.what()));
  }
}

}  // namespace detent::cli
