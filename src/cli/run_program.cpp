#include "cli/run_program.h"

#include "cli/help_format.h"
#include "cli/manual_text.h"
#include "cli/program.h"

#include <sys/resource.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "core/files/unfinished.h"
#include "core/shown_text.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent::cli {

namespace {

/// Returns large blocks to the system when they are freed. By default glibc keeps them in the heaps of the threads, and
/// memory grows with the number of samples (bench/peak_memory: 12 % from 16 to 256). The ends of the heaps are kept:
/// with a threshold for large blocks glibc would return them from 128 KB on, and the system clear their pages again (a
/// tenth of the time of `quantize`).
void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 512 * 1024, kEnd = 16 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TOP_PAD, kEnd);
#endif
}

/// Keeps malloc from reserving 64 MB of addresses for each thread where addresses are limited (ulimit -v).
void spare_addresses() {
#ifdef M_ARENA_MAX
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
#endif
}

int report(const Error& error) {
  if (error.code() == ErrorCode::Interrupted) claim_interruption();
  // Names come from files, so control characters are escaped. Lists in messages have separate lines.
  std::fprintf(stderr, "detent: %s\n", shown_text(error.what(), Lines::Lists).c_str());
  if (!error.hint().empty()) std::fprintf(stderr, "hint: %s\n", shown_text(error.hint(), Lines::Lists).c_str());
  return static_cast<int>(error.code());
}

Error out_of_memory(const std::string& what = {}) {
  return {ErrorCode::Internal, "out of memory" + what,
          "fewer --threads need less; --max-memory refuses earlier and names the large tensor"};
}

/// Returns the error for an exception of the C++ library or of TBB.
Error error_of(const std::exception& error) {
  const std::string text = error.what();
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  const bool no_thread = text.find("pthread_create") != std::string::npos ||
                         (system && system->code() == std::errc::resource_unavailable_try_again);
  if (no_thread) return out_of_memory(": the system starts no more threads");
  if (dynamic_cast<const std::bad_alloc*>(&error)) return out_of_memory();
  if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return {ErrorCode::InvalidData, file->path1().string() + ": " + file->code().message()};
  return {ErrorCode::Internal, "internal error: " + text};
}

/// Ends the process for an exception that no caller can catch, as in a thread that TBB starts.
[[noreturn]] void end_of_thread() {
  Error error(ErrorCode::Internal, "internal error in a thread");
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& thrown) {
    error = error_of(thrown);
  } catch (...) {
    error = {ErrorCode::Internal, "internal error of an unknown kind"};
  }
  end_at_once(report(error));
}

int run(const Program& parsed, Environment& environment) {
  for (const Declared& command : parsed.commands) {
    if (!command.app->parsed()) continue;
    if (!parsed.print_config) return command.run(environment);
    std::cout << config_text(parsed.app, parsed.limits) << config_text(*command.app, *command.options);
  }
  return 0;
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
  spare_addresses();
  std::set_terminate(end_of_thread);
  watch_signals();
  Program program;
  try {
    declare(program);
    parse(program, {argv + 1, argv + argc});
    const auto reporter =
        program.json_progress && !program.quiet ? make_json_reporter() : make_terminal_reporter(program.quiet);
    OutputSet outputs;
    Environment environment{*reporter, outputs, typed_command({argv + 1, argv + argc})};
    return flushed(run(program, environment));
  } catch (const CLI::Success& success) {
    program.app.exit(success);
    if (program.long_help) std::cout << "\n" << manual_text(*program.long_help, help_width());
    return flushed(0);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::exception& error) {
    return report(error_of(error));
  }
}

}  // namespace detent::cli
