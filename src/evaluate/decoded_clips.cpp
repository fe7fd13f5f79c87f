#include "evaluate/decoded_clips.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "evaluate/compared_values.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "run/greedy_decoder.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

constexpr size_t kBytesOfTheFirst = size_t{64} << 20;  // GreedyDecoder::together() has run their encoder

}  // namespace

std::vector<DecodedClip> decode_clips(const Model& model, const SampleRequest& request, const DataSource& clips,
                                      const RunSettings& settings, std::string_view task, HeldOutputs* shared) {
  HeldOutputs of_the_first(kBytesOfTheFirst);
  const GreedyDecoder decoder(model, step_plan(request, model), settings.products, shared ? shared : &of_the_first);
  std::vector<DecodedClip> decoded;
  using Batch = std::vector<DecodedClip>;
  const auto run = [&](size_t, std::vector<Sample>&& batch, size_t) {
    Batch texts;
    for (const Sample& sample : batch) texts.push_back({sample.index});
    std::vector<std::vector<int64_t>> tokens = decoder.decode(std::move(batch));
    for (size_t i = 0; i < texts.size(); ++i) texts[i].tokens = std::move(tokens[i]);
    return texts;
  };
  const size_t together = decoder.together(clips, worker_count(settings));
  static_cast<void>(
      run_over<Batch>({.source = clips, .settings = settings, .task = task, .together = together, .may_be_cut = false},
                      run, [&](Batch&& batch) { std::ranges::move(batch, std::back_inserter(decoded)); }));
  return decoded;
}

std::vector<DecodedClip> decode_by_ctc(const Model& model, const CtcVocabulary& vocabulary, const DataSource& clips,
                                       const RunSettings& settings, std::string_view task) {
  const Graph& graph = model.graph();
  const std::vector<ValueId> outputs = judged_outputs(graph, settings);
  std::vector<std::string> names;
  for (const ValueId output : outputs) names.push_back(graph.value(output).name);
  const Schedule schedule(graph, outputs, {.team = team_size(settings, clips), .products = settings.products});
  ExecutorSlots slots(schedule, worker_count(settings));
  std::vector<DecodedClip> decoded;
  using Batch = std::vector<DecodedClip>;
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    Batch read;
    for (const Sample& sample : batch) read.push_back({sample.index});
    const auto samples = static_cast<int64_t>(batch.size());
    OutputKeeper keeper(graph, outputs);
    slots.at(slot).run(stack_samples(std::move(batch)), keeper);
    std::vector<std::vector<int64_t>> tokens = vocabulary.read_tokens(samples, names, keeper.take());
    read.resize(real);
    for (size_t i = 0; i < real; ++i) read[i].tokens = std::move(tokens[i]);
    return read;
  };
  static_cast<void>(run_over<Batch>({.source = clips, .settings = settings, .task = task, .may_be_cut = false}, run,
                                    [&](Batch&& batch) { std::ranges::move(batch, std::back_inserter(decoded)); }));
  return decoded;
}

}  // namespace detent
