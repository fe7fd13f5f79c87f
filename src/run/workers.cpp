#include "run/workers.h"

#include <algorithm>
#include <thread>

#include "core/index.h"

namespace detent {

size_t worker_count(const RunSettings& settings) {
  if (settings.threads > 0) return settings.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

int team_size(const RunSettings& settings, const DataSource& samples) {
  const size_t batches = std::max<size_t>(1, samples.size() / samples.batch());
  return static_cast<int>(std::max<size_t>(1, worker_count(settings) / batches));
}

StepTimes ExecutorSlots::times() const {
  StepTimes all(schedule_.steps().size());
  for (const StepTimes& one : times_) all.merge(one);
  return all;
}

OutputKeeper::OutputKeeper(const Graph& graph, std::span<const ValueId> wanted)
    : places_(graph.values().size()), kept_(wanted.size()) {
  for (size_t i = 0; i < wanted.size(); ++i) places_[wanted[i]].push_back(i);
}

void OutputKeeper::observe(ValueId value, const Tensor& tensor) {
  for (const size_t place : places_[value]) {
    const Tensor plain = to_plain(tensor);  // heap memory when it had to be reordered
    kept_[place] = tensor.layout() == Layout::Plain || plain.raw() == tensor.raw() ? plain.clone() : plain;
  }
}

}  // namespace detent
