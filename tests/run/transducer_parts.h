#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluate/float_network.h"
#include "model/graph_patch.h"
#include "model/joined_models.h"

namespace detent::test {

inline constexpr int64_t kLetters = 7;  ///< scores of a joiner, without durations

/// Returns a model with random numbers in its constants, whose text names them with their shapes.
inline Model numbered(const std::string& graph, const std::vector<std::pair<const char*, Shape>>& constants,
                      uint64_t seed) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\n" + graph);
  Numbers numbers(seed);
  GraphPatch patch;
  patch.reason = "weights of the test";
  for (const auto& [name, shape] : constants) patch.replace_constants.emplace_back(name, numbers.tensor(shape));
  apply_patch(model, patch);
  return model;
}

/// An encoder [N, T, 4] -> [N, T, 8], a recurrent predictor, and a joiner with 7 + `durations` scores.
/// keeps_axis  false: the joiner reads [N, 8]
inline std::vector<NamedModel> transducer_parts(int64_t durations = 0, bool keeps_axis = true) {
  std::vector<NamedModel> parts;
  parts.push_back({"enc", numbered(R"(g (float[N, T, 4] audio) => (float[N, T, 8] memory, int64[1] lengths)
      <float[1] w = {0}, int64[1] one = {1}, int64[1] two = {2}> {
        m = MatMul (audio, w)  memory = Tanh (m)  s = Shape (memory)  lengths = Slice (s, one, two) })",
                                   {{"w", {4, 8}}}, 3)});
  parts.push_back(
      {"pred", numbered(R"(g (int64[N, 1] ids, float[N, 1, 8] h) => (float[N, 1, 8] told, float[N, 1, 8] h_next)
      <float[1] table = {0}, float[1] wh = {0}, float[1] wo = {0}> {
        x = Gather (table, ids)  r = MatMul (h, wh)  a = Add (x, r)  h_next = Tanh (a)  told = MatMul (h_next, wo) })",
                        {{"table", {kLetters, 8}}, {"wh", {8, 8}}, {"wo", {8, 8}}}, 5)});
  const std::string frame = keeps_axis ? "float[N, 1, 8] frame" : "float[N, 8] frame";
  const std::string row = keeps_axis ? "f = Identity (frame)" : "f = Unsqueeze (frame, axes)";
  parts.push_back({"join", numbered("g (" + frame +
                                        ", float[N, 1, 8] told) => (float[N, 1, S] scores) "
                                        "<float[1] w = {0}, int64[1] axes = {1}> { " +
                                        row + "  a = Add (f, told)  t = Tanh (a)  scores = MatMul (t, w) }",
                                    {{"w", {8, kLetters + durations}}}, 9)});
  return parts;
}

inline const std::vector<FileFeed> kTransducerFeeds{{"enc:memory", "join:frame"}, {"pred:told", "join:told"}};

}  // namespace detent::test
