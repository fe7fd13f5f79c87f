#include "model/joined_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <onnx/onnx_pb.h>
#include "detent/base/error.h"

#include "model/graph/file_boundary.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model part_of(const std::string& graph, const std::string& domains = R"("" : 13)") {
  return parse_model_text("<ir_version: 8, opset_import: [" + domains + "]>\n" + graph);
}

/// Both graphs name their values alike.
Model doubles() {
  return part_of("g (float[batch, T] x) => (float[batch, T] y) <float[1] w = {2}> { y = Mul (x, w) }");
}
Model adds() {
  return part_of(
      "g (float[N, S] x, float[N, 1] b) => (float[N, S] y, float[N, S] z) <float[1] w = {3}> {\n"
      "  y = Add (x, b)\n  z = Mul (y, w) }");
}

const std::vector<FileFeed> kFeeds{{"a:y", "b:x"}};

std::vector<NamedModel> both() {
  std::vector<NamedModel> models;
  models.push_back({"b", adds()});
  models.push_back({"a", doubles()});
  return models;
}

std::vector<std::string> end_names(const Graph& graph, std::span<const ValueId> values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(graph.value(value).name);
  return names;
}

TEST(JoinedModels, HaveTheInputsThatNothingFeedsAndAllOutputs) {
  const Model joined = join_models(both(), kFeeds, "pair.json");
  const Graph& graph = joined.graph();
  EXPECT_THAT(end_names(graph, graph.inputs()), ElementsAre("a:x", "b:b"));
  EXPECT_THAT(end_names(graph, graph.outputs()), ElementsAre("a:y", "b:y", "b:z"));
  EXPECT_TRUE(feeds_a_file(graph, graph.value(*graph.find_value("a:y"))));
  EXPECT_FALSE(feeds_a_file(graph, graph.value(*graph.find_value("b:y")))) << "only its own file reads it";
}

TEST(JoinedModels, CallASizeAlikeOnBothSidesOfAFeed) {
  const Model joined = join_models(both(), kFeeds, "pair.json");
  const Graph& graph = joined.graph();
  const auto symbols = [&](const char* name) { return graph.value(*graph.find_value(name)).symbols; };
  EXPECT_THAT(symbols("a:x"), ElementsAre("batch", "a:T")) << "whatever counts samples has one name";
  EXPECT_THAT(symbols("b:x"), ElementsAre("batch", "a:T"));
  EXPECT_THAT(symbols("b:b"), ElementsAre("batch", ""));
}

TEST(JoinedModels, KeepTheNamesOfTheirGraphsInside) {
  std::vector<NamedModel> models = both();
  models.push_back({"c", part_of("g (float[N, S] x, bool c) => (float[N, S] y) { y = If (c) <\n"
                                 "  then_branch = t () => (float[N, S] r) { r = Neg (x) },\n"
                                 "  else_branch = e () => (float[N, S] r) { r = Relu (x) }> }")});
  const Model joined = join_models(std::move(models), {{"a:y", "b:x"}, {"b:z", "c:x"}}, "three.json");
  EXPECT_TRUE(feeds_a_file(joined.graph(), joined.graph().value(*joined.graph().find_value("b:z"))));
  const Model back =
      take_file(joined, "c", part_of("g (float[N, S] x, bool c) => (float[N, S] y) { y = Identity (x) }"));
  EXPECT_EQ(back.graph().nodes().front().op_type, "If");
  EXPECT_EQ(end_names(back.graph(), back.graph().captured_by(back.graph().nodes().front())),
            std::vector<std::string>{"x"});
}

TEST(JoinedModels, GiveTheirFilesBack) {
  const Model joined = join_models(both(), kFeeds, "pair.json");
  for (const auto& [name, original] : both()) {
    const Model file = take_file(joined, name, original);
    EXPECT_EQ(file.opsets(), original.opsets()) << "no boundary's operators";
    const Graph &graph = file.graph(), &before = original.graph();
    EXPECT_EQ(end_names(graph, graph.inputs()), end_names(before, before.inputs()));
    EXPECT_EQ(end_names(graph, graph.outputs()), end_names(before, before.outputs()));
    ASSERT_EQ(graph.nodes().size(), before.nodes().size());
    EXPECT_EQ(graph.value(graph.inputs().front()).symbols, before.value(before.inputs().front()).symbols);
  }
}

TEST(JoinedModels, GiveTheirFilesTheTypesOfNowAndTheSizesOfBefore) {
  const Model changed = part_of(
      "g (float[batch, T] aX) => (float[batch, T] aY) <float16[batch, T] aH> { aC = Cast <to = 10> (aX)\n "
      "aH = Neg (aC)\n aR = Relu (aH)\n aY = Cast <to = 1> (aR) }");
  std::vector<NamedModel> one;
  one.push_back({"a", changed.clone()});
  const Model file = take_file(join_models(std::move(one), {}, "one.json"), "a", [&] {
    return part_of("g (float[N, S] aX) => (float[N, S] aY) <float[N, S] aH> { aH = Neg (aX)\n aY = Relu (aH) }");
  }());
  const Value& inner = file.graph().value(*file.graph().find_value("aH"));
  EXPECT_EQ(inner.declared_type, DataType::Float16);
  EXPECT_THAT(inner.symbols, ElementsAre("N", "S"));
}

TEST(JoinedModels, DeclareRanksThatTheirFilesLeaveOut) {
  const auto bare = [] { return part_of("g (float x, float[1] b) => (float y) { y = Add (x, b) }"); };
  std::vector<NamedModel> models;
  models.push_back({"a", bare()});
  Model original = bare();
  for (auto* infos : {original.mutable_proto().mutable_graph()->mutable_input(),
                      original.mutable_proto().mutable_graph()->mutable_output()})
    infos->Mutable(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  const Model joined = join_models(std::move(models), {}, "one.json");
  const Model file = take_file(joined, "a", original, {{"a:x", 3}, {"a:y", 2}, {"a:b", 7}});
  const auto shape = [&](const char* name) {
    return file.graph().value(*file.graph().find_value(name)).declared_shape;
  };
  EXPECT_EQ(shape("x"), (std::vector<int64_t>{-1, -1, -1}));
  EXPECT_EQ(shape("y"), (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(shape("b"), std::vector<int64_t>{1}) << "the file declares it";
}

TEST(JoinedModels, AreNotWrittenAsOneFile) {
  const TemporaryFolder folder;
  const Model joined = join_models(both(), kFeeds, "pair.json");
  EXPECT_EQ(error_of<Error>([&] { write_model(joined, folder / "a.onnx"); }).code(), ErrorCode::Internal);
  write_model(joined, folder / "a.onnx", {.joined = true});
  EXPECT_TRUE(std::filesystem::exists(folder / "a.onnx"));
}

TEST(JoinedModels, RefuseFeedsInACircle) {
  const Error error = error_of<Error>([] {
    static_cast<void>(join_models(both(), {{"a:y", "b:x"}, {"b:y", "a:x"}}, "pair.json"));
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_STREQ(error.what(), "\"feeds\" go in a circle: 'a:y' -> 'b:x', 'b:y' -> 'a:x'");
}

TEST(JoinedModels, RefuseADomainInTwoVersions) {
  std::vector<NamedModel> models;
  models.push_back({"a", part_of("g (float[1] x) => (float[1] y) { y = Neg (x) }", R"("" : 13, "own" : 1)")});
  models.push_back({"b", part_of("g (float[1] x) => (float[1] y) { y = Neg (x) }", R"("" : 13, "own" : 2)")});
  EXPECT_THAT(error_of<Error>([&] { static_cast<void>(join_models(std::move(models), kFeeds, "pair.json")); }).what(),
              HasSubstr("operators of 'own' in versions 1 and 2"));
}

}  // namespace
}  // namespace detent
