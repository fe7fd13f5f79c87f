#include "run/workers.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>

#include "prepare/prepare_model.h"

namespace detent {

size_t worker_count(const RunSettings& settings) {
  if (settings.threads > 0) return settings.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

int team_size(const RunSettings& settings, size_t samples, int64_t batch) {
  const size_t batches = std::max<size_t>(1, samples / static_cast<size_t>(std::max<int64_t>(1, batch)));
  return static_cast<int>(std::max<size_t>(1, worker_count(settings) / batches));
}

StepTimes ExecutorSlots::times() const {
  StepTimes all(plan_.steps().size());
  for (const StepTimes& one : times_) all.merge(one);
  return all;
}

OutputKeeper::OutputKeeper(const Graph& graph, std::span<const ValueId> wanted)
    : places_(graph.values().size()), kept_(wanted.size()) {
  for (size_t i = 0; i < wanted.size(); ++i) places_[static_cast<size_t>(wanted[i])].push_back(i);
}

void OutputKeeper::observe(ValueId value, const Tensor& tensor) {
  for (const size_t place : places_[static_cast<size_t>(value)]) {
    const Tensor plain = to_plain(tensor);  // heap memory when it had to be reordered
    kept_[place] = tensor.layout() == Layout::Plain || plain.raw() == tensor.raw() ? plain.clone() : plain;
  }
}

int64_t fixed_batch(const Graph& graph) { return static_cast<int64_t>(group_size(input_specs(graph))); }

std::vector<Tensor> stack_samples(std::vector<Sample> samples) {
  if (samples.size() == 1) return std::move(samples.front().inputs);
  std::vector<Tensor> stacked;
  for (size_t i = 0; i < samples.front().inputs.size(); ++i) {
    const Tensor& first = samples.front().inputs[i];
    Shape shape = first.shape();
    if (shape.rank() == 0) throw Error(ErrorCode::InvalidData, "a scalar input cannot be joined to a batch");
    shape[0] = 0;
    for (const Sample& sample : samples) shape[0] += sample.inputs[i].shape()[0];
    Tensor whole(first.type(), shape);
    auto* out = static_cast<std::byte*>(whole.mutable_raw());
    for (const Sample& sample : samples) {
      const Tensor& part = sample.inputs[i];
      Shape expected = first.shape();
      expected[0] = part.shape()[0];
      if (part.shape() != expected)
        throw Error(ErrorCode::InvalidData, "sample '" + sample.name + "' has shape " + part.shape().to_string() +
                                                " but its batch holds " + first.shape().to_string());
      std::memcpy(out, part.raw(), part.byte_count());
      out += part.byte_count();
    }
    stacked.push_back(std::move(whole));
  }
  return stacked;
}

double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib * 1024 / 1e6;
    }
  return 0;
}

}  // namespace detent
