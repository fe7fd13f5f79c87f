// Nodes that compute a spectrum stay float.
//
//   before:   x -> Q/DQ -> Conv (cosines) -> Mul (c * c) --+
//                   +----> Conv (sines) ---> Mul (s * s) --+-> Add -> Q/DQ -> MatMul (mel) -> Log -> Q/DQ -> Conv
//                                                                     one scale for 1e-6 to 1e3
//   after:    x --> Conv, Mul, Add, MatMul (mel), Log in float --> Q/DQ --> Conv
//
// signal_path.h finds the nodes.
//
// * Decides: the nodes that compute a spectrum from the network's input stay float: a Conv, Gemm or MatMul without bias
//   that stands for a Fourier transform (or STFT, DFT themselves), the squares behind it and their sums, filterbanks
//   (weighted ops without a negative weight), Log and roots. They are found by structure, because neither names nor
//   trained weights say that a Conv is an STFT. The path goes back from a Log, a root or a filterbank over sums,
//   floors, factors and filterbanks to squares, and from there over linear steps only to a graph input.
// * Why: a spectrum spans many orders of magnitude and its logarithm reads the small ones; one INT8 scale makes them 0.
//   The front end is a small part of the work. A small network (STFT, power, mel, Log, two layers) goes from 8.5 to
//   36.7 dB for TensorRT and from 8.7 to 36.2 dB for ONNX Runtime
//   (`tests/pipeline/quantize_model/signal_front_end_test.cpp`).
// * Not caught: variances and the norms made of them, a vector that is divided by its own norm, distances, LogSoftmax,
//   Softplus, and squares behind a bias or an activation.
// * Change it: `--include`.
// * Source: ours, measured there; reported of DNSMOS: 9.5 -> 36.7 dB for ONNX Runtime, 24 -> 39 dB for TensorRT, 0.5 %
//   of the MACs float.
// * Networks: DNSMOS.

#include <fmt/core.h>

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
        draft.keep_out(node, fmt::format("part of the spectrum that ends in {}: its small numbers matter, and one {} "
                                         "scale would lose them",
                                         facts.describe(end.id), draft.codes()));
}

}  // namespace

constinit const Rule kSignalFrontEnd{.name = {"R14", "signal front end"}, .mark = mark_signal_front_end};

}  // namespace detent::rules
