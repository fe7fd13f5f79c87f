//   before:   x --> Q/DQ --> Conv (cosines) --> Mul (c * c) --+
//                      +---> Conv (sines) ----> Mul (s * s) --+-> Add --> Q/DQ --> MatMul (mel) --> Log --> Q/DQ -->
//                      Conv
//                                                                         one scale for 1e-6 to 1e3
//   after:    x --> Conv, Mul, Add, MatMul (mel), Log in float --> Q/DQ --> Conv
//
// A spectrum spans many orders of magnitude, and the Log or root behind it needs the small numbers: with one INT8 scale
// they are all 0. The operators that compute a spectrum from the network's input therefore stay float: transforms
// written as layers, squares and their sums, filterbanks, Log and roots. They are found by structure (signal_path.h),
// not by names.
//
// Source: our policy. Motivated by DNSMOS (9.5 dB for ONNX Runtime, 36.7 with a float front end, which has 0.5 % of the
// MACs).

#include <ranges>

#include "place/draft/signal_path.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

// Goes backwards, so that the reason names the last end: the Log, not the filterbank before it.
void mark_signal_front_end(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& end : facts.graph().nodes() | std::views::reverse)
    for (const NodeId node : signal_path(facts, end))
      if (!draft.is_forced(node))
        draft.keep_out(node, "part of the spectrum that ends in " + facts.describe(end.id) +
                                 ": its small numbers matter, and one INT8 scale would lose them");
}

}  // namespace

Rule signal_front_end() { return {.id = RuleId::SignalFrontEnd, .mark = mark_signal_front_end}; }

}  // namespace detent::rules
