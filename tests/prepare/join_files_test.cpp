#include "prepare/join_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "exec/executor.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Model model_of(int opset, const std::string& graph) {
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\n" + graph);
}

/// An encoder of opset 11 and a decoder of opset 17.
std::vector<NamedModel> pair() {
  std::vector<NamedModel> models;
  models.push_back(
      {"enc", model_of(11, "g (float[N, 4] x) => (float[N, 4] memory) { memory = Softmax <axis = 1> (x) }")});
  models.push_back({"dec", model_of(17,
                                    "g (float[N, 4] memory, int64[N] ids, float[N, 5] wide, float[N] flat)\n"
                                    "  => (float[N, 4] y) { y = Neg (memory) }")});
  return models;
}

std::string refusal(const std::vector<FileFeed>& feeds) {
  const Error error = error_of<Error>([&] { static_cast<void>(join_files(pair(), feeds, "pair.json")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), StartsWith("pair.json: \"feeds\": "));
  return error.what() + ("; " + error.hint());
}

TEST(JoinFiles, RaisesAllToTheNewestOpset) {
  const Model joined = join_files(pair(), {{"enc:memory", "dec:memory"}}, "pair.json");
  EXPECT_EQ(joined.graph().opset(), 17);
}

TEST(JoinFiles, ComputesWhatTheFilesComputeOneAfterTheOther) {
  const Model joined = join_files(pair(), {{"enc:memory", "dec:memory"}}, "pair.json");
  const Graph& graph = joined.graph();
  const std::vector<Tensor> inputs{Tensor::from<float>({1, 4}, {0, 0, 0, 0}), Tensor::from<int64_t>({1}, {0}),
                                   Tensor::from<float>({1, 5}, {0, 0, 0, 0, 0}), Tensor::from<float>({1}, {0})};
  const std::vector<Tensor> outputs = run_once(graph, inputs, graph.outputs());
  EXPECT_THAT(outputs[0].data<float>(), Each(0.25F));
  EXPECT_THAT(outputs[1].data<float>(), Each(-0.25F));
}

TEST(JoinFiles, RefusesFeedsThatDoNotFit) {
  EXPECT_THAT(refusal({{"enc:memry", "dec:memory"}}),
              HasSubstr("has no output 'memry'; its outputs are 'enc:memory'; did"));
  EXPECT_THAT(refusal({{"enc:memory", "dec:memories"}}),
              HasSubstr("has no input 'memories'; its inputs are 'dec:memory', "));
  EXPECT_THAT(refusal({{"enc:memory", "dec:ids"}}),
              HasSubstr("cannot feed 'dec:ids': their types are float and int64"));
  EXPECT_THAT(refusal({{"enc:memory", "dec:wide"}}), HasSubstr("their shapes are ?x4 and ?x5"));
  EXPECT_THAT(refusal({{"enc:memory", "dec:flat"}}), HasSubstr("their shapes are ?x4 and ?"));
}

}  // namespace
}  // namespace detent
