#include "detent/base/error.h"
#include "options/groups.h"

namespace detent {

Option latency_table_option(std::filesystem::path& table, std::string help, FileUse use) {
  return row("--latency-table FILE", &table, std::move(help), {.group = "Speed", .file = use});
}

OptionList latency_options(LatencyOptions& latency, LatencyUse use) {
  const bool searches = use == LatencyUse::Searches;
  const std::string ready =
      " CMD gets the path of an ONNX file and prints milliseconds as its last line; another exit status than 0 says "
      "that the engine does not take the file. NAME is a ready one: onnxruntime, openvino, qnn, rknn, trtexec or "
      "web, which may be followed by its options: 'onnxruntime --threads 2'";
  OptionList list =
      list_of(row("--latency-command CMD|NAME", &latency.command,
                  (searches ? "Time files with the engine, at most 20, and write the fastest one within the accuracy: "
                              "within --max-drop or --min-sqnr, else at most 1 dB below the default file. That may be "
                              "the float model."
                            : "Time the float model and each candidate with the engine.") +
                      ready));
  if (searches)
    append(list, latency_table_option(latency.table,
                                      "JSON file that keeps what was measured: read if it exists, extended and "
                                      "replaced. A second network on the same engine and machine takes 10 calls",
                                      FileUse::None));
  if (searches)
    append(list, row("--prefer",
                     choice(latency.prefer, {{"accuracy", LatencyPrefer::Accuracy},
                                             {"size", LatencyPrefer::Size},
                                             {"speed", LatencyPrefer::Speed}}),
                     "Of the files within the accuracy, write the fastest; the most accurate or the smallest that is "
                     "not slower than the float model"));
  Option timeout = row("--latency-timeout SECONDS", &latency.timeout_seconds,
                       "Longest time of a call; what it started is ended then, and the file counts as not taken",
                       {.least = 0.001, .most = 1e6});
  append(list, timeout);
  list.settle.emplace_back([&latency] {
    if (!latency.given() && latency.prefer != LatencyPrefer::Speed)
      throw Error(ErrorCode::Usage, "--prefer needs --latency-command", "the command times the files to choose from");
    if (!latency.given() && !latency.table.empty())
      throw Error(ErrorCode::Usage, "--latency-table needs --latency-command", "the command fills the table");
  });
  return under("Speed", list);
}

}  // namespace detent
