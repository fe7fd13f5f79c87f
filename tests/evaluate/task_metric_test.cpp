#include "evaluate/task_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "detent/base/error.h"
#include "model/temporary_folder.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::vector<std::string> kOutput = {"scores"};

MemorySource labelled_samples(size_t count) { return MemorySource(std::vector<Tensor>(count)); }

struct Warnings : Reporter {
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view message) override { messages.emplace_back(message); }
  std::vector<std::string> messages;
};

/// Labels of sample0, sample1 ...
EvaluationOptions labelled(const TemporaryFolder& folder, const std::vector<int64_t>& labels) {
  std::string text = "file,label\n";
  for (size_t i = 0; i < labels.size(); ++i)
    text += "sample" + std::to_string(i) + "," + std::to_string(labels[i]) + "\n";
  EvaluationOptions options;
  options.labels = folder.write("labels.csv", text);
  return options;
}

/// A mask of one row for each of sample0, sample1 ...
EvaluationOptions masked(const TemporaryFolder& folder, const std::vector<std::string>& rows) {
  std::filesystem::create_directory(folder / "masks");
  for (size_t i = 0; i < rows.size(); ++i)
    folder.write("masks/sample" + std::to_string(i) + ".pgm",
                 "P5\n" + std::to_string(rows[i].size()) + " 1\n255\n" + rows[i]);
  EvaluationOptions options;
  options.masks = folder / "masks";
  return options;
}

TaskSums judge(const EvaluationOptions& options, size_t count, const Tensor& output, OutputAxes axes = {}) {
  const TaskMetric metric(options, {}, labelled_samples(count), Reporter::silent());
  std::vector<Sample> judged;
  for (size_t i = 0; i < count; ++i) judged.push_back({i, "sample" + std::to_string(i), {}});
  return metric.score(metric.truths_of(judged), kOutput, std::vector<Tensor>{output}, axes);
}

template <class Call>
Error refusal(Call&& call) {
  return error_of<Error>([&] { static_cast<void>(call()); });
}

TEST(TaskMetric, CountsTheLargestScoreAndTheFiveLargest) {
  const TemporaryFolder folder;
  // Scores 0 > 1 > ... > 6 in both samples: the label 0 is first, 4 among five, 5 is not.
  const std::vector<float> row = {7, 6, 5, 4, 3, 2, 1};
  std::vector<float> rows = row;
  rows.insert(rows.end(), row.begin(), row.end());
  rows.insert(rows.end(), row.begin(), row.end());
  const auto metrics =
      judge(labelled(folder, {0, 4, 5}), 3, Tensor::from<float>({3, 7}, std::span<const float>(rows))).metrics();
  EXPECT_THAT(metrics, ElementsAre(Pair("top1", 1.0 / 3), Pair("top5", 2.0 / 3)));
}

TEST(TaskMetric, GivesNoTopFiveOfFiveClasses) {
  const TemporaryFolder folder;
  const auto metrics = judge(labelled(folder, {1}), 1, Tensor::from<float>({1, 5}, {0, 1, 0, 0, 0})).metrics();
  EXPECT_THAT(metrics, ElementsAre(Pair("top1", 1.0)));
}

TEST(TaskMetric, LetsTheFirstOfEqualScoresWinAndNoNaN) {
  const TemporaryFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor output = Tensor::from<float>({3, 3}, {2, 2, 1, nan, 0, 1, nan, 0, 1});
  EXPECT_EQ(judge(labelled(folder, {0, 2, 0}), 3, output).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {1, 0, 1}), 3, output).first, 0U);
}

TEST(TaskMetric, ReadsSignsAndClassesToo) {
  const TemporaryFolder folder;
  EXPECT_EQ(judge(labelled(folder, {1, 1, 0}), 3, Tensor::from<float>({3, 1}, {0.5F, -2, -1})).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {7, 3, 9}), 3, Tensor::from<int64_t>({3}, {7, 3, 8})).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {2}), 1, Tensor::from<float>({1, 3, 1, 1}, {0, 1, 2})).first, 1U);
}

TEST(TaskMetric, ReadsScoresWhoseSamplesLieOnAnotherAxis) {
  const TemporaryFolder folder;
  const std::vector<SampleAxis> second = {{SampleAxis::Kind::Counts, 1, 1}};
  // Two classes of three samples as [classes, samples], and two of two, where the shape does not tell the axis.
  EXPECT_EQ(judge(labelled(folder, {1, 0, 1}), 3, Tensor::from<float>({2, 3}, {0, 9, 0, 9, 0, 9}), second).first, 3U);
  const Tensor square = Tensor::from<float>({2, 2}, {0, 1, 2, 0});
  EXPECT_EQ(judge(labelled(folder, {1, 0}), 2, square, second).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {1, 0}), 2, square).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {1, 1}), 2, Tensor::from<float>({2, 2}, {0, 1, 2, 3}), second).first, 2U);
  EXPECT_EQ(judge(labelled(folder, {1, 1}), 2, Tensor::from<float>({2, 2}, {0, 1, 3, 2}), {}).first, 1U);
  // The last batch has one sample that counts, and it keeps its axis.
  EXPECT_EQ(judge(labelled(folder, {2}), 1, Tensor::from<float>({3, 1}, {0, 1, 2}), second).first, 1U);
}

TEST(TaskMetric, ReadsMasksWhoseSamplesLieOnAnotherAxis) {
  const TemporaryFolder folder;
  const auto options = masked(folder, {std::string("\0\1\1", 3), std::string("\1\1\0", 3)});
  // [classes, samples, height 1, width 3] in place of [samples, classes, ...]: the scores of class 0, then those of
  // class 1.
  const Tensor output = Tensor::from<float>({2, 2, 1, 3}, {5, 0, 0, 0, 0, 5, 0, 5, 5, 5, 5, 0});
  const std::vector<SampleAxis> second = {{SampleAxis::Kind::Counts, 1, 1}};
  EXPECT_THAT(judge(options, 2, output, second).metrics(), ElementsAre(Pair("miou", 1.0)));
  EXPECT_LT(judge(options, 2, output).metrics().at("miou"), 1.0);
}

TEST(TaskMetric, PassesOverOutputsWhoseSamplesAreNotToldApart) {
  const TemporaryFolder folder;
  const auto options = labelled(folder, {0, 1});
  const std::vector<SampleAxis> unknown = {{SampleAxis::Kind::Unknown, 0, 0}};
  const Error error = refusal([&] { return judge(options, 2, Tensor::from<float>({2, 2}, {1, 0, 0, 1}), unknown); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("the axis of the samples is not known in 'scores'"));
  const std::vector<SampleAxis> independent = {{SampleAxis::Kind::Independent, 0, 0}};
  EXPECT_EQ(refusal([&] {
              return judge(options, 2, Tensor::from<float>({2, 3}, {1, 0, 0, 0, 1, 0}), independent);
            }).code(),
            ErrorCode::InvalidOption);
  // Only the first of these extents can count them.
  EXPECT_EQ(judge(options, 2, Tensor::from<float>({2, 3}, {1, 0, 0, 0, 1, 0}), unknown).first, 2U);
}

TEST(TaskMetric, RefusesTruthWithNothingToScore) {
  const auto code_of = [](const EvaluationOptions& options) {
    try {
      const TaskMetric metric(options, {}, labelled_samples(2), Reporter::silent());
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("nothing to score"));
      return error.code();
    }
    return ErrorCode::Internal;
  };
  const TemporaryFolder folder, other;
  EXPECT_EQ(code_of(masked(folder, {"\xff\xff", "\xff\xff"})), ErrorCode::InvalidData);
  EXPECT_EQ(code_of(masked(other, {"\xff\xff", "\xff\1"})), ErrorCode::Internal) << "one pixel has a class";
  EvaluationOptions spoken;
  spoken.vocabulary = folder.write("vocab.txt", "<blank>\na\n|\n");
  spoken.transcripts = folder.write("silent.csv", "file,text\nsample0,\nsample1, \n");
  EXPECT_EQ(code_of(spoken), ErrorCode::InvalidData);
  spoken.transcripts = folder.write("one.csv", "file,text\nsample0,\nsample1,a\n");
  EXPECT_EQ(code_of(spoken), ErrorCode::Internal);
}

TEST(TaskMetric, RefusesALabelThatIsNoClass) {
  const TemporaryFolder folder;
  const auto options = labelled(folder, {3});
  const Error error = refusal([&] { return judge(options, 1, Tensor::from<float>({1, 3}, {0, 1, 2})); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("'sample0' is 3"));
  EXPECT_THAT(error.what(), HasSubstr("0 to 2"));
}

TEST(TaskMetric, RefusesOutputsThatTellNoClass) {
  const TemporaryFolder folder;
  const auto options = labelled(folder, {0});
  const Error error = refusal([&] { return judge(options, 1, Tensor::from<float>({1, 3, 2}, {0, 1, 2, 3, 4, 5})); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
  EXPECT_THAT(error.what(), HasSubstr("'scores' (float 1x3x2)"));
}

TEST(TaskMetric, ListsSamplesWithoutALabel) {
  const TemporaryFolder folder;
  const auto options = labelled(folder, {0, 1});
  const Error error = refusal([&] { return TaskMetric(options, {}, labelled_samples(4), Reporter::silent()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("2 of 4 samples have no label"));
  EXPECT_THAT(error.what(), HasSubstr("sample2, sample3"));
}

TEST(TaskMetric, WarnsOfLabelsThatMatchNoSample) {
  const TemporaryFolder folder;
  Warnings warnings;
  static_cast<void>(TaskMetric(labelled(folder, {0, 1, 2}), {}, labelled_samples(2), warnings));
  ASSERT_EQ(warnings.messages.size(), 1U);
  EXPECT_THAT(warnings.messages[0], HasSubstr("sample2"));

  Warnings silent;
  static_cast<void>(TaskMetric(labelled(folder, {0, 1, 2}), {.limit = 2}, labelled_samples(2), silent));
  EXPECT_THAT(silent.messages, IsEmpty());
}

// In YOLO's form an image without a file of labels shows no objects.
const DetectionLayout kRowLayout{.form = DetectionForm::XyxyScoreClass, .boxes = "rows"};

TEST(TaskMetric, WarnsIfMostSamplesHaveNoFileOfBoxesAndRefusesIfNoneHas) {
  const TemporaryFolder folder;
  EvaluationOptions options;
  options.labels = folder.path();
  folder.write("sample0.txt", "0 .5 .5 .1 .1\n");
  const auto warnings = [&](size_t samples) {
    Warnings found;
    static_cast<void>(TaskMetric(options, {}, labelled_samples(samples), found, {}, kRowLayout));
    return found.messages;
  };
  EXPECT_THAT(warnings(2), IsEmpty()) << "half of them";
  EXPECT_THAT(
      warnings(3),
      ElementsAre(HasSubstr("2 of 3 samples have no labels and count as images without objects: sample1, sample2")));
  std::filesystem::rename(folder / "sample0.txt", folder / "other.txt");
  EXPECT_THAT(
      refusal([&] { return TaskMetric(options, {}, labelled_samples(2), Reporter::silent(), {}, kRowLayout); }).what(),
      HasSubstr("no file has the name of a sample: sample0, sample1"));
}

TEST(TaskMetric, RefusesASampleWithoutAFileOfVoc) {
  const TemporaryFolder folder;
  EvaluationOptions options;
  options.labels = folder.path();
  folder.write("sample0.xml",
               "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax>"
               "</bndbox></object></annotation>");
  EXPECT_NO_THROW(TaskMetric(options, {}, labelled_samples(1), Reporter::silent(), {}, kRowLayout));
  EXPECT_THAT(
      refusal([&] { return TaskMetric(options, {}, labelled_samples(2), Reporter::silent(), {}, kRowLayout); }).what(),
      HasSubstr("1 of 2 samples have no image in "));
}

TEST(TaskMetric, RefusesTwoLabelsOfOneFile) {
  const TemporaryFolder folder;
  EvaluationOptions options;
  options.labels = folder.write("l.csv", "file,label\nsample0,1\n./sample0,2\n");
  EXPECT_THAT(refusal([&] { return TaskMetric(options, {}, labelled_samples(1), Reporter::silent()); }).what(),
              HasSubstr("two labels, 1 and 2"));
}

TEST(TaskMetric, AveragesIntersectionOverUnionOfTheWholeSetOverItsClasses) {
  const TemporaryFolder folder;
  const auto options = masked(folder, {std::string("\0\0\1", 3), std::string("\1\1\0", 3)});
  // Found: 0 1 1 and 1 1 1. Class 0: 1 of 3 pixels; class 1: 3 of 5; class 2 never occurs and does not count.
  const Tensor output = Tensor::from<float>({2, 3, 1, 3}, {5, 0, 0, 0, 5, 5, -1, -1, -1, 0, 0, 0, 5, 5, 5, -1, -1, -1});
  EXPECT_THAT(judge(options, 2, output).metrics(), ElementsAre(Pair("miou", (1.0 / 3 + 3.0 / 5) / 2)));
}

TEST(TaskMetric, LeavesOutUnlabelledPixelsUnlessThereAreTwoClasses) {
  const TemporaryFolder folder;
  const auto options = masked(folder, {std::string("\2\xff", 2)});
  const Tensor three = Tensor::from<float>({1, 3, 1, 2}, {0, 9, 0, 0, 1, 0});
  EXPECT_THAT(judge(options, 1, three).metrics(), ElementsAre(Pair("miou", 1.0)));
  const Error error = refusal([&] {
    return judge(masked(folder, {std::string("\1\xff", 2)}), 1, Tensor::from<float>({1, 1, 1, 2}, {1, 1}));
  });
  EXPECT_THAT(error.what(), HasSubstr("a pixel of the mask is 255"));  // a picture of 0 and 255: 1 was meant
}

TEST(TaskMetric, RefusesMasksOfAnotherSizeAndListsThoseMissing) {
  const TemporaryFolder folder;
  const auto options = masked(folder, {std::string("\0\1\0", 3)});
  const Error size = refusal([&] { return judge(options, 1, Tensor::from<float>({1, 2, 1, 2}, {0, 1, 1, 0})); });
  EXPECT_EQ(size.code(), ErrorCode::InvalidData);
  EXPECT_THAT(size.what(), HasSubstr("the mask is 1x3, output 'scores' is 1x2"));
  EXPECT_THAT(refusal([&] { return TaskMetric(options, {}, labelled_samples(2), Reporter::silent()); }).what(),
              HasSubstr("1 of 2 samples have no mask"));
}

/// Transcripts of sample0, sample1 ..., for the classes <blank>, a, b and |.
EvaluationOptions transcribed(const TemporaryFolder& folder, const std::vector<std::string>& texts) {
  std::string csv = "file,text\n";
  for (size_t i = 0; i < texts.size(); ++i) csv += "sample" + std::to_string(i) + "," + texts[i] + "\n";
  EvaluationOptions options;
  options.transcripts = folder.write("transcripts.csv", csv);
  options.vocabulary = folder.write("vocab.txt", "<blank>\na\nb\n|\n");
  return options;
}

TEST(TaskMetric, CountsWrongWordsAndCharactersOverAllTexts) {
  const TemporaryFolder folder;
  // "ab" and "a": one of two words and one of four characters is wrong.
  const Tensor scores = Tensor::from<float>({2, 2, 4}, {0, 9, 0, 0, 0, 0, 9, 0, 0, 9, 0, 0, 9, 0, 0, 0});
  const auto metrics = judge(transcribed(folder, {"ab", "ab"}), 2, scores).metrics();
  EXPECT_THAT(metrics, ElementsAre(Pair("cer", 0.25), Pair("wer", 0.5)));
  const auto with_more = judge(transcribed(folder, {"ab", "a b"}), 2, scores).metrics();
  EXPECT_THAT(with_more, ElementsAre(Pair("cer", 0.4), Pair("wer", 1.0 / 3)));
}

TEST(TaskMetric, FindsTheSamplesOfTranscriptsOnAnotherAxis) {
  const TemporaryFolder folder;
  const Tensor scores = Tensor::from<float>({1, 2, 4}, {0, 9, 0, 0, 0, 0, 9, 0});  // [T, N, V]
  const std::vector<SampleAxis> axes{{.axis = 1}};
  EXPECT_EQ(judge(transcribed(folder, {"a", "b"}), 2, scores, axes).metrics().at("wer"), 0);
}

TEST(TaskMetric, RefusesTranscriptsWithoutAVocabularyOrASample) {
  const TemporaryFolder folder;
  EvaluationOptions options = transcribed(folder, {"a"});
  EXPECT_THAT(refusal([&] { return TaskMetric(options, {}, labelled_samples(2), Reporter::silent()); }).what(),
              HasSubstr("1 of 2 samples have no transcript"));
  options.vocabulary.clear();
  EXPECT_EQ(refusal([&] { return TaskMetric(options, {}, labelled_samples(1), Reporter::silent()); }).code(),
            ErrorCode::Usage);
  const auto twice = folder.write("twice.csv", "file,text\nsample0,a\nsample0,b\n");
  options = transcribed(folder, {"a"});
  options.transcripts = twice;
  EXPECT_THAT(refusal([&] { return TaskMetric(options, {}, labelled_samples(1), Reporter::silent()); }).what(),
              HasSubstr("two transcripts, 'a' and 'b'"));
}

TEST(TaskMetric, AddsSumsOfSamplesToThoseOfTheSet) {
  const TemporaryFolder folder;
  const auto options = masked(folder, {std::string("\1\1", 2)});
  TaskSums sums = judge(options, 1, Tensor::from<int32_t>({1, 1, 2}, {1, 0}));
  sums += judge(options, 1, Tensor::from<int32_t>({1, 1, 2}, {1, 1}));
  // Class 1: 3 of 4 pixels, class 0: none of 1.
  EXPECT_THAT(sums.metrics(), ElementsAre(Pair("miou", 0.375)));
  EXPECT_THAT(TaskSums{}.metrics(), IsEmpty());
}

}  // namespace
}  // namespace detent
