// The upstream operator tests of Debian's libonnx-testdata, through `detent verify` with the suite's own bounds:
// relative 1e-3 plus absolute 1e-7.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/model.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using Outcome = VerifyReport::Line::Outcome;

const fs::path kData = "/usr/share/libonnx-testdata/data";

constexpr const char* kOtherNumbers = "expects the random numbers of numpy's generator";
constexpr const char* kTraining = "an operator of training";
constexpr const char* kStrings = "strings are not computed with";

/// Cases with a wrong result, and the reason of each.
const std::map<std::string, std::string> kExceptions = {
    {"test_cast_FLOAT_to_BFLOAT16", "expects truncation; ONNX says round to nearest even"},
    {"test_castlike_FLOAT_to_BFLOAT16", "expects truncation; ONNX says round to nearest even"},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", "expects truncation; ONNX says round to nearest even"},
    {"test_resize_downsample_scales_cubic_align_corners",
     "expects the unrounded output extent; ONNX Runtime rounds, so do we"},
    {"test_resize_downsample_scales_linear_align_corners",
     "expects the unrounded output extent; ONNX Runtime rounds, so do we"},
    {"test_bernoulli", kOtherNumbers},
    {"test_bernoulli_double", kOtherNumbers},
    {"test_bernoulli_double_expanded", kOtherNumbers},
    {"test_bernoulli_expanded", kOtherNumbers},
    {"test_bernoulli_seed", kOtherNumbers},
    {"test_bernoulli_seed_expanded", kOtherNumbers},
    {"test_training_dropout", kOtherNumbers},
    {"test_training_dropout_default", kOtherNumbers},
    {"test_training_dropout_default_mask", kOtherNumbers},
    {"test_training_dropout_mask", kOtherNumbers},
};

/// Operators with cases that may be unsupported, each with the reason. The list can only shrink: an entry without such
/// a case fails the test, and so does a case without an entry.
const std::map<std::string, std::string> kUnsupported = {
    {"Adagrad", kTraining}, {"Adam", kTraining},    {"Momentum", kTraining},
    {"Cast", kStrings},     {"CastLike", kStrings}, {"StringNormalizer", kStrings},
};

fs::path without_expansion(const fs::path& folder) {
  static const std::regex suffix("_expanded.*$");
  return folder.parent_path() / std::regex_replace(folder.filename().string(), suffix, "");
}

/// The operator that a case is about: that of the case's first node before its functions were expanded.
std::string family_of(const fs::path& folder) {
  fs::path model = without_expansion(folder) / "model.onnx";
  if (!fs::exists(model)) model = folder / "model.onnx";
  try {
    return read_model(model).graph().node(NodeId{0}).op_type;
  } catch (const Error&) {
    return "(unreadable)";
  }
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder)) folders.insert(entry.path());
  return {folders.begin(), folders.end()};
}

VerifyReport verify(const std::vector<fs::path>& folders) {
  VerifyOptions options;
  options.folders = folders;
  options.rtol = 1e-3;
  options.atol = 0;  // the absolute part is then 1e-7
  return verify_models(options);
}

struct Tally {
  size_t passed = 0, failed = 0, unsupported = 0;

  void add(Outcome outcome) {
    passed += outcome == Outcome::Passed;
    failed += outcome == Outcome::Failed;
    unsupported += outcome == Outcome::Unsupported;
  }
};

void print(const std::map<std::string, Tally>& tallies) {
  std::printf("%-28s %7s %7s %12s\n", "family", "passed", "failed", "unsupported");
  for (const auto& [name, tally] : tallies)
    std::printf("%-28s %7zu %7zu %12zu\n", name.c_str(), tally.passed, tally.failed, tally.unsupported);
}

TEST(Conformance, EverySupportedOperatorMeetsOnnxsOwnTests) {
  if (!fs::exists(kData / "node")) GTEST_SKIP() << "package libonnx-testdata is not installed";
  const VerifyReport report = verify(folders_in(kData / "node"));
  std::map<std::string, Tally> tallies;
  std::set<std::string> unsupported;
  for (const auto& line : report.lines) {
    const fs::path folder = line.folder;
    const std::string family = family_of(folder);
    tallies[family].add(line.outcome);
    if (line.outcome == Outcome::Failed) {
      EXPECT_TRUE(kExceptions.contains(folder.filename())) << line.folder << ": " << line.detail;
    }
    if (line.outcome != Outcome::Unsupported) continue;
    EXPECT_TRUE(kUnsupported.contains(family)) << line.folder << " (" << family << "): " << line.detail;
    unsupported.insert(family);
  }
  print(tallies);
  std::printf("%zu passed, %zu failed, %zu unsupported of %zu\n", report.passed, report.failed, report.unsupported,
              report.lines.size());
  for (const auto& [family, reason] : kUnsupported)
    EXPECT_TRUE(unsupported.contains(family)) << family << " is supported now: take it off the list";
  EXPECT_GE(report.passed, 898U);  // with libonnx-testdata 1.12; operators are added, not lost
}

/// Whole small models: written by hand, and by exporters of the time (opset 6, converted when they are read).
TEST(Conformance, SmallModelsOfOldExportersRun) {
  if (!fs::exists(kData)) GTEST_SKIP() << "package libonnx-testdata is not installed";
  std::map<std::string, Tally> tallies;
  size_t passed = 0;
  for (const std::string group : {"simple", "pytorch-operator", "pytorch-converted"}) {
    const VerifyReport report = verify(folders_in(kData / group));
    passed += report.passed;
    for (const auto& line : report.lines) {
      tallies[group].add(line.outcome);
      EXPECT_NE(line.outcome, Outcome::Failed) << line.folder << ": " << line.detail;
    }
  }
  print(tallies);
  EXPECT_GE(passed, 124U);
}

}  // namespace
}  // namespace detent
