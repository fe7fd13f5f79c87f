#include "pipeline/latency/latency_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "core/files/atomic_file.h"
#include "core/files/child_process.h"
#include "core/files/output_set.h"
#include "core/files/temporary.h"
#include "core/json/json_place.h"
#include "core/json/parse_json.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "pipeline/latency/ready_commands.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

constexpr int kCannotRun = 126, kNotFound = 127;  // of a shell
constexpr int kWrongOptions = 2, kNoEngine = 3;   // of a ready command: scripts/latency/README.md

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Returns the last line that is not blank; "" without one.
std::string_view last_line(std::string_view text) {
  const std::string_view lines = trimmed(text);
  const size_t before = lines.rfind('\n');
  return before == std::string_view::npos ? lines : trimmed(lines.substr(before + 1));
}

/// Returns a finite number above 0; nullopt for any other text.
std::optional<double> milliseconds_of(std::string_view text) {
  double ms = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(ms) || ms <= 0) return std::nullopt;
  return ms;
}

std::string cpu_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name")) return std::string(trimmed(std::string_view(line).substr(line.find(':') + 1)));
  return "CPU";
}

std::string name_in(const std::string& command) { return command.substr(0, command.find(' ')); }

auto ready_command_of(const std::string& command) {
  return std::ranges::find(ready_commands(), name_in(command), &ReadyCommand::name);
}

/// Returns the member as text; "" where it is missing.
std::string member_of(const JsonPlace& place, const char* name) {
  const auto member = place.find(name);
  return member ? member->text() : "";
}

}  // namespace

LatencyFolder::LatencyFolder() : path_(make_temporary_folder("latency")) {}
LatencyFolder::~LatencyFolder() { remove_temporary_folder(path_); }

bool is_ready_command(const std::string& command) { return ready_command_of(command) != ready_commands().end(); }

LatencyCommand::LatencyCommand(const LatencyOptions& options, const LatencyFolder& folder)
    : options_(options), shell_(options.command) {
  const std::string name = name_in(options.command);
  const auto ready = ready_command_of(options.command);
  if (ready == ready_commands().end()) {
    machine_ = {options.command, "", cpu_name(), "", ""};
    return;
  }
  const AtOnce scratch;
  const fs::path script = folder.path() / "ready" / name;
  make_folder(script.parent_path());
  write_file(script, ready->text);
  fs::permissions(script, fs::perms::owner_all);
  ready_ = true;
  shell_ = shell_quoted(script.string()) + options.command.substr(name.size());
  machine_ = {name, "", cpu_name(), "", ""};
}

void LatencyCommand::read_machine(const std::string& out) {
  for (std::string_view rest = out; !rest.empty();) {
    const std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    if (!line.starts_with('{')) continue;
    try {
      const nlohmann::json document = parse_json(line);
      const JsonPlace place(document);
      machine_ = {member_of(place, "engine"), member_of(place, "version"), member_of(place, "device"),
                  member_of(place, "threads"), member_of(place, "batch")};
    } catch (const Error&) {
      continue;  // other output
    }
  }
}

LatencyAnswer LatencyCommand::ask(const fs::path& model) {
  const Stopwatch stopwatch;
  ++calls_;
  const CommandResult result = run_command(shell_, {fs::absolute(model).string()}, options_.timeout_seconds);
  LatencyAnswer answer{{}, "", stopwatch.seconds()};
  const std::string said(last_line(result.err));
  if (result.timed_out) {
    answer.refusal = fmt::format("took longer than {:g} s", options_.timeout_seconds);
    return answer;
  }
  if (result.exit_code == kCannotRun || result.exit_code == kNotFound)
    throw Error(ErrorCode::InvalidOption, "--latency-command '" + options_.command + "' cannot be run: " + said,
                "ready ones are " + join(ready_commands(), ", ", &ReadyCommand::name));
  if (ready_ && (result.exit_code == kWrongOptions || result.exit_code == kNoEngine))
    throw Error(ErrorCode::InvalidOption, "--latency-command '" + options_.command + "': " + said,
                result.exit_code == kNoEngine
                    ? "install the engine, or activate the environment that has it: scripts/latency/README.md"
                    : "'" + options_.command.substr(0, options_.command.find(' ')) +
                          "' is a ready command; scripts/latency/README.md lists its options");
  if (result.exit_code != 0) {
    answer.refusal = said.empty() ? fmt::format("exit status {}", result.exit_code) : said;
    return answer;
  }
  read_machine(result.out);
  answer.ms = milliseconds_of(last_line(result.out));
  if (!answer.ms)
    throw Error(ErrorCode::InvalidOption,
                "--latency-command '" + options_.command + "': the last line of its output is '" +
                    std::string(last_line(result.out)) + "', not milliseconds",
                "it prints a number above 0 as the last line of stdout, and everything else to stderr");
  return answer;
}

ComparedLatency compared_latency(LatencyCommand& command, const fs::path& model) {
  LatencyAnswer answer = command.ask(model);
  return {answer.ms, std::move(answer.refusal)};
}

}  // namespace detent
