#include "cli/run_program.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <new>
#include <string_view>

#include "cli/check_files.h"
#include "cli/interrupt_watch.h"
#include "cli/print_config.h"
#include "cli/program.h"
#include "cli/report_options.h"
#include "cli/suggest.h"
#include "cli/typed_command.h"
#include "core/shown_text.h"
#include "detent/error.h"

namespace detent::cli {

namespace {

/// Weights and samples go back to the system when they are freed: left to itself glibc keeps them in the heaps of the threads
/// that freed them, and memory grows with the number of samples (bench/peak_memory: 12 % from 16 to 256).
void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 512 * 1024;
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

int report(const Error& error) {
  if (error.code() == ErrorCode::Interrupted) claim_interruption();
  // Names come from files: what a terminal would obey is shown instead. Lists in messages have lines of their own.
  std::fprintf(stderr, "detent: %s\n", shown_text(error.what(), Lines::Keep).c_str());
  if (!error.hint().empty()) std::fprintf(stderr, "hint: %s\n", shown_text(error.hint(), Lines::Keep).c_str());
  return static_cast<int>(error.code());
}

/// An error of the model begins with the model's file, wherever it was noticed.
Error naming_model(const CLI::App& command, const Error& error) {
  if (error.code() != ErrorCode::InvalidModel && error.code() != ErrorCode::Unsupported) return error;
  for (const CLI::App* nested : command.get_subcommands()) return naming_model(*nested, error);
  for (const char* name : {"MODEL", "--model", "FILE"})
    if (const CLI::Option* option = command.get_option_no_throw(name); option && option->count() > 0) {
      const std::string file = option->results().front();
      return std::string_view(error.what()).starts_with(file) ? error : error.in(file);
    }
  return error;
}

int run(Program& parsed) {
  for (const auto& [sub, action] : parsed.actions) {
    if (!sub->parsed()) continue;
    if (parsed.print_config) {
      std::cout << config_text(*sub);
      return 0;
    }
    check_files(*sub);
    const auto reporter = make_terminal_reporter(parsed.quiet);
    Environment environment{*reporter, parsed.command};
    try {
      return action(environment);
    } catch (const Error& error) {
      throw naming_model(*sub, error);
    }
  }
  return 0;
}

/// The exit code once standard output is flushed: a full disk behind it is an error like any other.
int flushed(int code) {
  std::cout.flush();
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) || code != 0) return code;
  return report(Error(ErrorCode::CannotWrite, "standard output cannot be written"));
}

}  // namespace

int run_program(int argc, char** argv) {
  return_large_blocks();
  watch_signals();
  try {
    Program parsed;
    declare(parsed);
    parsed.command = typed_command({argv + 1, argv + argc});
    std::vector<std::string> arguments = with_json_values(with_help({argv + 1, argv + argc}));
    refuse_unknown_command(arguments);
    try {
      std::ranges::reverse(arguments);  // as CLI11 takes them
      parsed.app.parse(std::move(arguments));
    } catch (const CLI::Success& success) {
      parsed.app.exit(success);
      return flushed(0);
    } catch (const CLI::ConfigError& error) {
      throw Error(ErrorCode::Usage, std::string("--config: unknown key: ") + error.what(),
                  "'detent COMMAND --print-config' shows the keys");
    } catch (const CLI::FileError& error) {
      throw Error(ErrorCode::Usage, std::string("--config: ") + error.what());
    } catch (const CLI::ParseError& error) {
      throw usage_error(parsed.app, error);
    }
    return flushed(run(parsed));
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(Error(ErrorCode::Internal, "the system gave no more memory",
                        "fewer --threads need less; --max-memory refuses earlier, and names what is large"));
  } catch (const std::exception& error) {
    return report(Error(ErrorCode::Internal, std::string("internal error: ") + error.what()));
  }
}

}  // namespace detent::cli
