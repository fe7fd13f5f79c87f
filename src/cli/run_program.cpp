#include "cli/program.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>

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

void parse(Program& program, std::vector<std::string> arguments) {
  try {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    program.app.parse(std::move(arguments));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ConfigError& error) {
    throw Error(ErrorCode::Usage, std::string("--config: unknown key: ") + error.what(),
                "'detent COMMAND --print-config' shows the keys");
  } catch (const CLI::FileError& error) {
    throw Error(ErrorCode::Usage, std::string("--config: ") + error.what());
  } catch (const CLI::ParseError& error) {
    throw usage_error(program.app, error);
  }
}

int run(const Program& parsed, Environment& environment) {
  for (const Declared& command : parsed.commands) {
    if (!command.app->parsed()) continue;
    if (!parsed.print_config) return command.run(environment);
    std::cout << config_text(*command.app);
  }
  return 0;
}

/// Runs a command under its old spelling, and says the new one.
int run_under(const std::vector<std::string>& arguments, Environment& environment) {
  std::fprintf(stderr, "hint: this is now 'detent %s'\n", arguments.front().c_str());
  Program program;
  declare(program);
  parse(program, arguments);
  return run(program, environment);
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
  Program program;
  try {
    declare(program);
    const std::vector<std::string> arguments = with_json_values(with_help({argv + 1, argv + argc}));
    refuse_unknown_command(program, arguments);
    parse(program, arguments);
    const auto reporter = make_terminal_reporter(program.quiet);
    Environment environment{*reporter, typed_command({argv + 1, argv + argc})};
    const auto others = program.print_config ? std::nullopt : new_spelling(program);
    return flushed(others ? run_under(*others, environment) : run(program, environment));
  } catch (const CLI::Success& success) {
    program.app.exit(success);
    return flushed(0);
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
