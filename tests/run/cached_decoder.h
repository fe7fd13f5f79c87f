#pragma once

#include <string>
#include <utility>

#include "evaluate/float_network.h"
#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// A decoder of one attention block with a cache: token ids [N, S] and the keys and values [N, P, 8] of P tokens before
/// them give logits [N, S, 12], and keys and values [N, P + S, 8]. Without a mask: it is causal where S is 1.
/// logits  the nodes that make them of `sum` [N, S, 8] and `head` [8, 12]
inline Model cached_decoder(const std::string& logits = "logits = MatMul (sum, head)") {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (int64[batch, S] ids, float[batch, P, 8] past_keys, float[batch, P, 8] past_values)
      => (float[batch, S, 12] logits, float[batch, T, 8] keys, float[batch, T, 8] values)
    <float[1] table = {0}, float[1] wq = {0}, float[1] wk = {0}, float[1] wv = {0}, float[1] head = {0}>
    {
      h = Gather (table, ids)
      q = MatMul (h, wq)
      k = MatMul (h, wk)
      v = MatMul (h, wv)
      keys = Concat <axis = 1> (past_keys, k)
      values = Concat <axis = 1> (past_values, v)
      turned = Transpose <perm = [0, 2, 1]> (keys)
      scores = MatMul (q, turned)
      shares = Softmax <axis = -1> (scores)
      mixed = MatMul (shares, values)
      sum = Add (h, mixed)
      )" + logits + "}");
  Numbers numbers(7);
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants.emplace_back("table", numbers.tensor({12, 8}));
  for (const char* name : {"wq", "wk", "wv"}) patch.replace_constants.emplace_back(name, numbers.tensor({8, 8}));
  patch.replace_constants.emplace_back("head", numbers.tensor({8, 12}));
  apply_patch(model, patch);
  return model;
}

/// The map of its caches.
inline constexpr const char* kDecoderState =
    R"({"feeds": {"keys": "past_keys", "values": "past_values"}, "cut": {"ids": 1}})";

}  // namespace detent::test
