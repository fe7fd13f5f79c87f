// Every engine, version and device has a whole definition and a level for each finding, and takes a network through all
// commands. A new one is tested by being listed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "lint/finding_list.h"
#include "lint/view/lint_engine.h"
#include "model/model.h"
#include "model/onnx_protos.h"
#include "model/temporary_folder.h"
#include "place/engines/target.h"
#include "place/plan/rule.h"

namespace detent {

void PrintTo(const Target* target, std::ostream* out) { *out << target->spec(); }

namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const fs::path kSources = DETENT_SOURCE_DIR, kUnet = kSources / "datasets/samples/shapes_unet";

/// Returns what "## Rules of Qualcomm's HTP" is called in the address of a page: "rules-of-qualcomms-htp".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(byte));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::ifstream lines(page);
  std::set<std::string> anchors;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#")) anchors.insert(anchor_of(line));
  return anchors;
}

class EveryTarget : public ::testing::TestWithParam<const Target*> {
 protected:
  [[nodiscard]] static const Target& target() { return *GetParam(); }
  [[nodiscard]] static const EngineDef& engine() { return target().engine; }
  [[nodiscard]] static DataOptions data() {
    DataOptions data;
    data.sources = {(kUnet / "calib").string()};
    data.preprocess = "unit,mean=.485/.456/.406,std=.229/.224/.225";
    data.limit = 2;
    return data;
  }
  /// Writes the sample network with the fixed extents that some engines want.
  void write_network() const {
    const Model open = read_model(kUnet / "model_opset13.onnx");
    auto proto = std::make_unique<onnx::ModelProto>(open.proto());
    auto& images = *proto->mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    images.mutable_dim(0)->set_dim_value(1);
    write_model(Model(std::move(proto)), model_);
  }
  [[nodiscard]] QuantizeReport quantize(const Target& target, const std::string& output) const {
    QuantizeOptions options;
    options.model = model_;
    options.data = data();
    options.calibrator = "max";
    options.accuracy = Accuracy::Fast;
    options.error_samples = 1;
    options.target = target.spec();
    options.output = folder_ / output;
    return quantize_model(options);
  }
  [[nodiscard]] LintReport lint(const std::string& file) const {
    return lint_model({.model = folder_ / file, .target = target().spec(), .shapes = {}});
  }
  [[nodiscard]] RepairReport repair(const std::string& file) const {
    RepairOptions options;
    options.model = folder_ / file, options.output = folder_ / "repaired.onnx";
    options.target = target().spec();
    options.data = data();
    return repair_model(options);
  }
  static std::vector<std::string> errors_in(const LintReport& report) {
    std::vector<std::string> errors;
    for (const auto& finding : report.findings)
      if (finding.level == "error") errors.push_back(finding.id + " " + finding.node + ": " + finding.message);
    return errors;
  }
  /// A target whose files have pairs.
  [[nodiscard]] static const Target& other_with_pairs() {
    return *std::ranges::find_if(target_list(), [](const Target& one) { return *one.engine.takes_pairs; });
  }

  TemporaryFolder folder_;
  fs::path model_ = folder_ / "model.onnx";
};

TEST_P(EveryTarget, IsFoundByItsSpec) {
  EXPECT_EQ(&find_target(target().spec()), &target());
  EXPECT_EQ(engine_list()[engine().id], &engine());
  EXPECT_THAT((*engine().targets)(), Contains(::testing::Property(&Target::spec, target().spec())));
  // Engines of one name share its default: that of the first.
  const Target& named = find_target(*engine().name);
  EXPECT_EQ(*named.engine.name, *engine().name);
  EXPECT_EQ((*named.engine.targets)().front().spec(), named.spec());
}

TEST_P(EveryTarget, HasADefinition) {
  EXPECT_FALSE(engine().title->empty());
  EXPECT_FALSE(engine().family->empty());
  EXPECT_NE(*engine().other_engine, *engine().name);
  EXPECT_NO_THROW(static_cast<void>(find_target(*engine().other_engine)));
  EXPECT_GT(*engine().minimum_opset, 0);
  EXPECT_TRUE(*engine().newest_opset == 0 || *engine().newest_opset >= *engine().minimum_opset);
}

TEST_P(EveryTarget, HasAPageOfItsRules) {
  const std::string page(*engine().page);
  const size_t mark = page.find('#');
  const fs::path file = kSources / page.substr(0, mark);
  ASSERT_TRUE(fs::is_regular_file(file)) << page;
  if (mark != std::string::npos) {
    EXPECT_THAT(anchors_of(file), Contains(page.substr(mark + 1)));
  }
}

TEST_P(EveryTarget, HasRulesEachOnce) {
  const auto rules = *engine().rules;
  EXPECT_FALSE(rules.empty());
  EXPECT_EQ(std::set<const Rule*>(rules.begin(), rules.end()).size(), rules.size());
}

TEST_P(EveryTarget, SaysOfEveryFindingWhatItMeans) {
  const FindingLevels& levels = *lint_engine(engine().id).levels;
  std::map<std::string, int> placed;
  for (const std::string_view ids : {*levels.errors, *levels.warnings, *levels.notes, *levels.absent}) {
    std::istringstream words{std::string(ids)};
    for (std::string id; words >> id;) ++placed[id];
  }
  for (const auto& [id, times] : placed) {
    EXPECT_EQ(times, 1) << id << " has several levels";
    EXPECT_NE(std::ranges::find(finding_list(), id, &FindingKind::id), finding_list().end()) << id << " is no finding";
  }
  for (const FindingKind& kind : finding_list()) {
    const bool open = kind.reach == FindingReach::EveryEngine && !placed.contains(std::string(kind.id));
    EXPECT_FALSE(open) << kind.id << " has no level, and is not absent";
  }
}

TEST(FindingsOfSomeEngines, HaveALevelForOne) {
  for (const FindingKind& kind : finding_list())
    EXPECT_TRUE(std::ranges::any_of(engine_list(), [&](const EngineDef* engine) {
      return kind.level(engine->id).has_value();
    })) << kind.id;
}

TEST_P(EveryTarget, TakesANetworkThroughEveryCommand) {
  write_network();
  PlanModelOptions planned;
  planned.model = model_, planned.target = target().spec();
  const PlanReport plan = plan_model(planned);
  const bool weights_alone = engine().packs_products;
  EXPECT_EQ(plan.coverage.int8_layers > 0, !weights_alone);

  const QuantizeReport report = quantize(target(), "out.onnx");
  EXPECT_EQ(report.plan.coverage.int8_layers, plan.coverage.int8_layers);
  EXPECT_THAT(errors_in(lint("out.onnx")), IsEmpty());
  if (*engine().takes_pairs) {
    EXPECT_EQ(report.plan.coverage.pairs > 0, !weights_alone);
    const RepairReport repaired = repair("out.onnx");
    // A pair on a graph output is read as an Identity behind it, which is one more node with pairs.
    EXPECT_TRUE(!repaired.changed || *engine().whole_graph) << "what it wrote stands right";
    EXPECT_THAT(errors_in(repaired.lint), IsEmpty());
  } else {
    static_cast<void>(quantize(other_with_pairs(), "pairs.onnx"));
    EXPECT_THAT(errors_in(lint("pairs.onnx")), Not(IsEmpty()));
    EXPECT_EQ(error_of<Error>([&] { static_cast<void>(repair("pairs.onnx")); }).code(), ErrorCode::InvalidOption);
  }
}

std::string letters_of(const ::testing::TestParamInfo<const Target*>& one) {
  std::string name = one.param->spec();
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::vector<const Target*> all_targets() {
  std::vector<const Target*> targets;
  for (const Target& target : target_list()) targets.push_back(&target);
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget, ::testing::ValuesIn(all_targets()), letters_of);

}  // namespace
}  // namespace detent
