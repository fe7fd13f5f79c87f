#include "evaluate/evaluate_on_batches.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "core/stop.h"
#include "detent/error.h"
#include "detent/progress.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "run/for_each_index.h"
#include "run/pool_lease.h"
#include "run/workers.h"

namespace detent {

namespace {

using SumsOfSamples = std::vector<ErrorSums>;  // by output

/// What was found of one batch: [entry][variant].
struct Found {
  std::vector<std::vector<SumsOfSamples>> errors;
  std::vector<bool> comparable;
};

/// Errors of each sample of a joined batch, or of a batch as a whole.
std::vector<SumsOfSamples> errors_by_entry(const JudgedBatch& batch, std::vector<Tensor> outputs, bool joined,
                                           std::vector<bool>& comparable) {
  if (!joined) return {errors_of(batch.expected, outputs, batch.content, batch.axes, comparable)};
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type() == batch.expected[i].type() && outputs[i].shape() == batch.expected[i].shape()) continue;
    comparable[i] = false;
    outputs[i] = batch.expected[i];  // it need not have a row for each sample
  }
  std::vector<SumsOfSamples> entries;
  for (size_t row = 0; row < batch.real; ++row) {
    const BatchContent content = batch.content.empty() ? BatchContent{} : BatchContent{batch.content[row]};
    entries.push_back(errors_of(row_of(batch.expected, row), row_of(outputs, row), content, {}, comparable));
  }
  return entries;
}

/// These variants on every batch; adds a variant to each entry.
void run_pass(std::span<const Model> variants, const JudgedBatches& batches, const RunSettings& settings,
              std::atomic<size_t>& done, std::vector<Found>& found) {
  const size_t threads = worker_count(settings);
  const int team = static_cast<int>(std::max<size_t>(1, threads / std::max<size_t>(1, batches.size())));
  std::vector<std::unique_ptr<const PreparedModel>> models(variants.size());
  for_each_index(variants.size(), threads, [&](size_t v) {
    models[v] = std::make_unique<const PreparedModel>(variants[v], batches.names(), team, settings.products);
  });
  PoolLease pools(threads);
  std::mutex mutex;
  for_each_index(batches.size(), threads, [&](size_t b) {
    const PoolLease::Held pool(pools);
    const auto batch = batches.get(b, *pool);
    try {
      for (const auto& model : models) {
        stop_if_interrupted();
        std::vector<Tensor> outputs =
            real_part(model->run(batch->inputs, *pool), batch->size, batch->real, batch->axes);
        auto entries = errors_by_entry(*batch, std::move(outputs), batches.together() > 1, found[b].comparable);
        found[b].errors.resize(entries.size());
        for (size_t e = 0; e < entries.size(); ++e) found[b].errors[e].push_back(std::move(entries[e]));
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted) throw;
      throw error.in("sample '" + batch->name + "'");
    }
    const std::scoped_lock lock(mutex);
    settings.reporter->advance_to(done += batch->real);
  });
}

/// The outputs that every variant gives in the float model's shape on every batch.
std::vector<size_t> comparable_in(const std::vector<Found>& found, size_t outputs) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < outputs; ++i)
    if (std::ranges::all_of(found, [&](const Found& one) { return one.comparable[i]; })) kept.push_back(i);
  return kept;
}

}  // namespace

Evaluation evaluate_on_batches(size_t count, const std::function<Model(size_t)>& make, const JudgedBatches& batches,
                               const RunSettings& settings, std::string_view task, size_t weight_bytes) {
  const size_t at_once =
      std::max<size_t>(1, weight_bytes / std::max<size_t>(1, kPreparedShare * batches.reference_bytes()));
  const size_t samples = batches.samples_in(batches.size()), passes = (count + at_once - 1) / at_once;
  std::vector<Found> found(batches.size(), {{}, std::vector<bool>(batches.names().size(), true)});
  std::atomic<size_t> done{0};
  settings.reporter->begin(task, samples * passes);
  for (size_t first = 0; first < count; first += at_once) {
    std::vector<Model> variants;
    for (size_t v = first; v < std::min(count, first + at_once); ++v) variants.push_back(make(v));
    run_pass(variants, batches, settings, done, found);
  }
  settings.reporter->end();

  Evaluation result;
  result.samples = samples;
  const std::vector<size_t> kept = comparable_in(found, batches.names().size());
  for (const size_t i : kept) result.outputs.push_back(batches.names()[i]);
  result.errors.assign(count, SumsOfSamples(kept.size()));
  result.by_batch.resize(count);
  // Entries by the place of their first sample in the source.
  std::vector<std::pair<size_t, const std::vector<SumsOfSamples>*>> order;
  for (size_t b = 0; b < batches.size(); ++b)
    for (size_t e = 0; e < found[b].errors.size(); ++e)
      order.emplace_back(batches.samples_of(b)[e], &found[b].errors[e]);
  std::ranges::sort(order);
  for (const auto& [sample, entry] : order)
    for (size_t v = 0; v < count; ++v) {
      SumsOfSamples& sums = result.by_batch[v].emplace_back();
      for (size_t k = 0; k < kept.size(); ++k) {
        sums.push_back((*entry)[v][kept[k]]);
        result.errors[v][k] += sums.back();
      }
    }
  return result;
}

}  // namespace detent
