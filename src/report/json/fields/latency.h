#pragma once

#include "detent/reports/latency_report.h"
#include "report/json/fields/parts.h"

namespace detent::json {

void fields(auto& v, const LatencyMachine& r) {
  v.part("latency_machine", "The engine and machine that answer a latency command, as far as it says.");
  v("engine", r.engine, "Name of the engine; the command where it names none.");
  v("version", r.version, "Its version; may be empty.");
  v("device", r.device, "Name of the CPU, GPU or other device.");
  v("threads", r.threads, "Number of threads, in words; may be empty.");
  v("batch", r.batch, "Size of the batch, in words; may be empty.");
}

void fields(auto& v, const LatencyReport::Call& r) {
  v("what", r.what, "The file: float, cast with its type, default, or what differs from the default file.");
  v("file", name_of(r.file), "Its kind.", {"float", "cast", "default", "variant"});
  v("ms", r.ms, "Milliseconds that the command printed; null where the engine does not take the file.");
  v("refusal", r.refusal, "Why the engine does not take the file, as the command says; else empty.");
  v("sqnr_db", r.sqnr_db,
    "SQNR at the worst output on the samples of the search, in dB; null where the outputs are equal or it was not "
    "measured.");
  v("seconds", Finite{r.seconds}, "Time of the call, in seconds.");
}

void fields(auto& v, const LatencyReport::Front& r) {
  v("what", r.what, "The file, as in calls.");
  v("ms", r.ms, "Mean of its calls, in milliseconds.");
  v("bytes", r.bytes, "Size of the file.");
  v("sqnr_db", r.sqnr_db,
    "SQNR at the worst output on the samples of the search, in dB; null where the outputs are equal or it was not "
    "measured.");
  v("score", r.score, "Score in the metric of a bound on a task; null without one.");
  v("chosen", r.chosen, "Whether it is the written file.");
}

void fields(auto& v, const LatencyReport::Group& r) {
  v("name", r.name, "The part of the network and its change.");
  v("nodes", r.nodes, "Number of nodes that it changes; 0 for all.");
  v("gain", r.gain, "Estimated part of the default file's time that it saves; below 0 a loss; null where not known.");
  v("error", Finite{r.error}, "Standard error of the gain.");
  v("chosen", r.chosen, "Whether it is in the written file.");
  v("left_out", r.left_out, "Why it was not tried; empty where it was.");
  v("options", r.options, "Words of a command line that make the change.");
}

void fields(auto& v, const LatencyReport& r) {
  v("chosen", name_of(r.chosen), "Kind of the written file.", {"float", "cast", "default", "variant"});
  v("chosen_what", r.chosen_what, "What the written file is, as in calls.");
  v("float_ms", r.float_ms, "Mean time of the float model, in milliseconds; null where the engine does not take it.");
  v("cast_ms", r.cast_ms,
    "The same of the float model in 16 bits without pairs; null also where it was not asked for.");
  v("default_ms", r.default_ms, "The same of the file that is written without a latency command.");
  v("chosen_ms", r.chosen_ms, "The same of the written file.");
  v("noise", Finite{r.noise}, "Standard deviation of a call, as a part of its time.");
  v("limit", r.limit, "The limit on the accuracy, in words.");
  v("too_inaccurate", r.too_inaccurate, "Number of files beyond the limit, which the command did not see.");
  v("calls", r.calls, "Every call of the command, in their order.");
  v("front", r.front,
    "Files within the accuracy that no other one beats in time, size and accuracy together, the fastest first.");
  v("groups", r.groups, "Parts of the network that were tried in another precision or form, the largest gain first.");
  v("command", r.command, "The command, as given.");
  v("machine", r.machine, "What answered it.");
  v("table", filled(r.table), "Path of the table of measured latencies; null without one.");
  v("learned_networks", r.learned_networks, "Number of networks of this machine in the table, before this one.");
  v("seconds", Finite{r.seconds}, "Time of the whole search, in seconds.");
}

void fields(auto& v, const LatencyForecast::Part& r) {
  v("name", r.name, "The part of the network and its change.");
  v("nodes", r.nodes, "Number of nodes of this model.");
  v("gain", Finite{r.gain}, "Part of the quantized file's time that it is expected to save as float; below 0 a loss.");
  v("error", Finite{r.error}, "Standard error of the gain.");
  v("networks", r.networks, "Number of networks that tell it.");
}

void fields(auto& v, const LatencyForecast& r) {
  v("table", r.table, "Path of the table of measured latencies.");
  v("machine", r.machine, "The engine and machine that were measured.");
  v("networks", r.networks, "Number of networks that were measured there.");
  v("ratio", r.ratio,
    "Expected time of the quantized file as a part of the float model's; null where too few layers are known.");
  v("ratio_error", Finite{r.ratio_error}, "Standard error of the ratio.");
  v("parts", r.parts, "Known parts of the network, the largest gain first.");
}

void fields(auto& v, const ComparedLatency& r) {
  v.part("model_latency", "Time of one model in an engine.");
  v("ms", r.ms, "Milliseconds that the latency command printed; null where the engine does not take the model.");
  v("refusal", r.refusal, "Why the engine does not take the model, as the command says; else empty.");
}

}  // namespace detent::json
