#include "run/greedy_decoder.h"

#include <utility>

namespace detent {

bool decodes(const SampleRequest& request) { return request.steps && request.state && request.state->decode; }

GreedyDecoder::GreedyDecoder(const Model& model, StepPlan plan, CpuProducts products, HeldOutputs* shared)
    : plan_(std::move(plan)), model_(model.clone(), plan_.recurrence, products) {
  if (shared) model_.share(*shared);
}

std::vector<int64_t> GreedyDecoder::decode(Sample whole) const {
  StepWalk walk(model_, plan_, std::move(whole));
  while (!walk.has_ended()) walk.take_step(1);
  return walk.tokens();
}

}  // namespace detent
