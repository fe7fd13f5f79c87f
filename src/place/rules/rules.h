#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"
#include "place/rules/sources.h"

namespace detent::rules {

// The rules that more than one engine has, one file each.
const Rule& user_choice();
const Rule& measured_choice();
const Rule& signal_front_end();
const Rule& residual_stream();
const Rule& decoding();
const Rule& known_ranges();
const Rule& states();
const Rule& weights_alone();
const Rule& weighted_ops();
const Rule& fused_activation();
const Rule& batch_norm();
const Rule& attention_and_norms();
const Rule& graph_outputs();

}  // namespace detent::rules
