#include "run/greedy_decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr size_t kTogether = 4;  // eight gain a fifth more, and hold twice the memory of an encoder
constexpr float kTolerance = 1e-3F;

/// True where row `row` of `all` is `one`, within kTolerance of the largest number.
bool is_row(const Tensor& all, int64_t row, const Tensor& one) {
  if (all.shape().rank() == 0 || all.shape()[0] <= row) return false;
  const Tensor part = all.slice0(row, row + 1);
  if (part.shape() != one.shape() || part.type() != one.type()) return false;
  const Tensor left = cast(part, DataType::Float32), right = cast(one, DataType::Float32);
  float largest = 0, difference = 0;
  for (size_t i = 0; i < right.data<float>().size(); ++i) {
    largest = std::max(largest, std::abs(right.data<float>()[i]));
    difference = std::max(difference, std::abs(right.data<float>()[i] - left.data<float>()[i]));
  }
  return difference <= kTolerance * largest;
}

bool are_alike(const std::vector<Sample>& samples) {
  return std::ranges::all_of(samples, [&](const Sample& sample) {
    return std::ranges::equal(sample.inputs, samples.front().inputs, {}, &Tensor::shape, &Tensor::shape);
  });
}

}  // namespace

bool decodes(const SampleRequest& request) { return request.steps && request.state && request.state->decode; }

GreedyDecoder::GreedyDecoder(const Model& model, StepPlan plan, CpuProducts products, HeldOutputs* shared)
    : plan_(std::move(plan)), model_(model.clone(), plan_.recurrence, products) {
  if (shared) model_.share(*shared);
}

bool GreedyDecoder::keeps_apart(const std::vector<Sample>& whole) const {
  StepWalk all(model_, plan_, whole), last(model_, plan_, {whole.back()});
  for (int step = 0; step < 2; ++step) {
    const std::vector<Tensor> together = all.outputs(), alone = last.outputs();
    for (size_t i = 0; i < alone.size(); ++i)
      if (!is_row(together[i], std::ssize(whole) - 1, alone[i])) return false;
    all.take_step(1), last.take_step(1);
    if (last.has_ended()) break;
  }
  return true;
}

size_t GreedyDecoder::together(const DataSource& samples, size_t threads) const {
  if (samples.size() < 2 * kTogether * std::max<size_t>(2, threads) || !stacks_samples(model_.graph(), plan_)) return 1;
  try {
    std::vector<Sample> first;
    while (first.size() < kTogether) first.push_back(samples.read(first.size()));
    return are_alike(first) && keeps_apart(first) ? kTogether : 1;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return 1;  // the pass over all samples reports the error
  }
}

std::vector<std::vector<int64_t>> GreedyDecoder::decode(std::vector<Sample> whole) const {
  std::vector<std::vector<int64_t>> texts;
  if (!are_alike(whole)) {
    for (Sample& sample : whole) texts.push_back(decode({std::move(sample)}).front());
    return texts;
  }
  StepWalk walk(model_, plan_, std::move(whole));
  while (!walk.has_ended()) walk.take_step(1);
  return walk.tokens();
}

}  // namespace detent
