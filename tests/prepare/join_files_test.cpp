#include "prepare/join_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "exec/executor.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
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

/// An encoder of three frames, and a joiner that reads one.
std::vector<NamedModel> framed(const std::string& frame) {
  std::vector<NamedModel> models;
  models.push_back({"enc", model_of(13,
                                    "g (float[N, T, 2] x) => (float[N, T, 2] memory, float[1] wrong)\n"
                                    "<float[1] one = {1}> { memory = Neg (x)\n wrong = Identity (one) }")});
  models.push_back({"join", model_of(13, "g (" + frame + " frame) => (" + frame + " y) { y = Neg (frame) }")});
  return models;
}

const std::vector<FileFeed> kFrames{{"enc:memory", "join:frame"}};

std::vector<Tensor> run_at(const Model& joined, int64_t frame) {
  const Graph& graph = joined.graph();
  const std::vector<Tensor> inputs{Tensor::from<int64_t>({1}, {frame}),
                                   Tensor::from<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6})};
  return run_once(graph, inputs, std::vector<ValueId>{*graph.find_value("join:y"), *graph.find_value("frames")});
}

TEST(JoinFiles, ReadsOneFrameOfAnOutputAtATime) {
  const Model joined = join_files(framed("float[N, 1, 2]"), kFrames, "parts.json", FrameRules{"enc:memory", 1, {}});
  EXPECT_THAT(run_at(joined, 1)[0].data<float>(), ElementsAre(3, 4));
  EXPECT_EQ(run_at(joined, 1)[0].shape(), (Shape{1, 1, 2}));
  EXPECT_THAT(run_at(joined, 9)[0].data<float>(), ElementsAre(5, 6)) << "behind the last one";
  EXPECT_EQ(run_at(joined, 0)[1].data<int64_t>()[0], 3);
  const Model flat = join_files(framed("float[N, 2]"), kFrames, "parts.json", FrameRules{"enc:memory", 1, {}});
  EXPECT_EQ(run_at(flat, 2)[0].shape(), (Shape{1, 2}));
  const Model whole = join_files(framed("float[N, T, 2]"), kFrames, "parts.json");
  EXPECT_FALSE(whole.graph().find_value("frames")) << "without \"decode\" it reads all of them";
}

TEST(JoinFiles, RefusesFramesThatTheInputCannotRead) {
  const auto refused = [](const std::string& frame, const FrameRules& rules) {
    const Error error =
        error_of<Error>([&] { static_cast<void>(join_files(framed(frame), kFrames, "parts.json", rules)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    return std::string(error.what());
  };
  EXPECT_THAT(refused("float[N, 1, 3]", {"enc:memory", 1, {}}),
              HasSubstr("a frame along axis 1 of ?x?x2 is not ?x1x3"));
  EXPECT_THAT(refused("float[N, 1, 2]", {"enc:memory", 2, {}}), HasSubstr("a frame along axis 2"));
  EXPECT_THAT(refused("float[N, 1, 2]", {"enc:memory", 3, {}}), HasSubstr("it has no axis 3"));
  EXPECT_THAT(refused("float[N, 1, 2]", {"enc:memory", 1, "enc:lens"}), HasSubstr("has no output 'lens'"));
  EXPECT_THAT(refused("float[N, 1, 2]", {"enc:memory", 1, "enc:wrong"}), HasSubstr("int64 or int32"));
}

}  // namespace
}  // namespace detent
