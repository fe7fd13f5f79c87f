#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "detent/plan.h"
#include "options/groups.h"
#include "place/engines/target.h"

namespace detent::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// Returns the headings of a page of the repository as they stand behind a #.
std::set<std::string> anchors_of(const std::string& page) {
  std::ifstream in(std::filesystem::path(DETENT_SOURCE_DIR) / page);
  std::set<std::string> anchors;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(line.find(' ') + 1))
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '-')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (c == ' ')
        anchor += '-';
    anchors.insert(anchor);
  }
  return anchors;
}

TargetInfo info_of(std::string_view spec) {
  for (const TargetInfo& one : known_targets())
    if (one.spec == spec) return one;
  ADD_FAILURE() << "no target " << spec;
  return {};
}

TEST(KnownTargets, AreThoseThatTargetTakesEachOnce) {
  const std::vector<TargetInfo> infos = known_targets();
  ASSERT_THAT(infos, SizeIs(target_list().size()));
  std::set<std::string> specs;
  for (const TargetInfo& one : infos) {
    EXPECT_TRUE(specs.insert(one.spec).second) << one.spec << " stands there twice";
    EXPECT_EQ(find_target(one.spec).spec(), one.spec);
    EXPECT_EQ(one.is_default, find_target(one.name).spec() == one.spec) << one.spec;
  }
}

TEST(KnownTargets, EveryNameHasOneDefault) {
  std::map<std::string, int> defaults;
  for (const TargetInfo& one : known_targets()) defaults[one.name] += one.is_default;
  for (const auto& [name, count] : defaults) EXPECT_EQ(count, 1) << name;
}

TEST(KnownTargets, SayWhatAnEngineTakesTheDefaultFirst) {
  const TargetInfo onnxruntime = info_of("onnxruntime:1.30"), tensorrt = info_of("tensorrt:11.0");
  EXPECT_THAT(onnxruntime.activations, ElementsAre("uint8", "int8", "uint16", "int16", "dynamic"));
  EXPECT_THAT(onnxruntime.biases, ElementsAre("int32", "float"));
  EXPECT_EQ(onnxruntime.float_type, "fp32");
  EXPECT_THAT(tensorrt.activations, ElementsAre("int8", "fp8"));
  EXPECT_THAT(tensorrt.biases, ElementsAre("float"));
  EXPECT_EQ(tensorrt.float_type, "fp16");
  EXPECT_TRUE(tensorrt.takes_pairs);
  EXPECT_FALSE(info_of("tensorrt:dla").takes_pairs);
}

TEST(KnownTargets, NameAPageWithTheirRules) {
  for (const TargetInfo& one : known_targets()) {
    const size_t hash = one.page.find('#');
    ASSERT_NE(hash, std::string::npos) << one.spec;
    EXPECT_TRUE(anchors_of(one.page.substr(0, hash)).contains(one.page.substr(hash + 1))) << one.page;
  }
}

TEST(KnownTargets, TheHelpNamesSomeAndThePageWithAll) {
  std::string target;
  const std::string help = target_option(target).help;
  EXPECT_THAT(help, testing::HasSubstr("'detent help quantize --long'"));
  size_t examples = 0;
  std::string word;
  for (std::istringstream words(help); words >> word;) {
    if (!word.starts_with("(")) continue;
    EXPECT_NO_THROW((void)find_target(word.substr(1, word.find(')') - 1))) << word;
    ++examples;
  }
  EXPECT_EQ(examples, 2U);
}

}  // namespace
}  // namespace detent::test
