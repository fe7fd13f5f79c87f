#include "evaluate/evaluate_on_batches.h"

#include <algorithm>
#include <memory>
#include <span>

#include "core/stop.h"
#include "detent/base/progress.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "run/for_each_index.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Adds a variant to what is known of each sample of a joined batch, or of a batch as a whole.
void add_variant(const JudgedBatch& batch, const std::vector<std::string>& names, std::vector<Tensor> outputs,
                 std::vector<BatchTallies>& entries, bool joined) {
  if (!joined) {
    BatchTallies& entry = entries.front();
    entry.models.push_back(tally_of(batch, names, outputs, nullptr, entry.comparable));
    return;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type() == batch.expected[i].type() && outputs[i].shape() == batch.expected[i].shape()) continue;
    entries.front().comparable[i] = false;
    outputs[i] = batch.expected[i];  // it need not have a row for each sample
  }
  for (size_t row = 0; row < batch.real; ++row) {
    JudgedBatch one{.expected = row_of(batch.expected, row)};
    if (!batch.content.empty()) one.content = {batch.content[row]};
    entries[row].models.push_back(tally_of(one, names, row_of(outputs, row), nullptr, entries[row].comparable));
  }
}

/// These variants on every batch.
void run_pass(std::span<const Model> variants, const JudgedBatches& batches, const RunSettings& settings, size_t& done,
              std::vector<std::vector<BatchTallies>>& found) {
  const size_t threads = worker_count(settings);
  const int team = static_cast<int>(std::max<size_t>(1, threads / std::max<size_t>(1, batches.size())));
  std::vector<std::unique_ptr<const PreparedModel>> models(variants.size());
  for_each_index(variants.size(), threads, [&](size_t v) {
    models[v] = std::make_unique<const PreparedModel>(variants[v], batches.names(), team, settings.products);
  });
  const auto run = [&](size_t b, const JudgedBatch& batch, BufferPool& pool) {
    for (const auto& model : models) {
      stop_if_interrupted();
      add_variant(batch, batches.names(), batch.counted(model->run(batch.inputs, pool)), found[b],
                  batches.together() > 1);
    }
  };
  batches.for_each(0, batches.size(), settings, run,
                   [&](size_t b) { settings.reporter->advance_to(done += batches.samples_of(b).size()); });
}

/// What nothing is known of yet: an entry for each sample of joined batches, else for each batch.
std::vector<std::vector<BatchTallies>> empty_entries(const JudgedBatches& batches) {
  std::vector<std::vector<BatchTallies>> entries(batches.size());
  for (size_t b = 0; b < batches.size(); ++b) {
    const size_t samples = batches.samples_of(b).size(), each = batches.together() > 1 ? 1 : samples;
    entries[b].assign(
        samples / each,
        {.real = each, .models = std::vector<Tally>(1), .comparable = std::vector<bool>(batches.names().size(), true)});
  }
  return entries;
}

}  // namespace

Evaluation evaluate_on_batches(size_t count, const std::function<Model(size_t)>& make, const JudgedBatches& batches,
                               const RunSettings& settings, std::string_view task, size_t weight_bytes) {
  const size_t at_once =
      std::max<size_t>(1, weight_bytes / std::max<size_t>(1, kPreparedShare * batches.reference_bytes()));
  std::vector<std::vector<BatchTallies>> found = empty_entries(batches);
  size_t done = 0;
  settings.reporter->begin(task, batches.samples_in(batches.size()) * ((count + at_once - 1) / at_once));
  for (size_t first = 0; first < count; first += at_once) {
    std::vector<Model> variants;
    for (size_t v = first; v < std::min(count, first + at_once); ++v) variants.push_back(make(v));
    run_pass(variants, batches, settings, done, found);
  }
  settings.reporter->end();

  // Entries by the place of their first sample in the source.
  std::vector<std::pair<size_t, BatchTallies*>> order;
  for (size_t b = 0; b < batches.size(); ++b)
    for (size_t e = 0; e < found[b].size(); ++e) order.emplace_back(batches.samples_of(b)[e], &found[b][e]);
  std::ranges::sort(order);
  Tallies tallies(batches.names(), count, true);
  for (const auto& [sample, entry] : order) tallies.add(std::move(*entry), 0);
  return tallies.take(false);
}

}  // namespace detent
