#include "datasets/base/made_sources.h"

#include <gtest/gtest.h>

#include "run/named_samples.h"

namespace detent {
namespace {

using test::NamedSamples;

TEST(WrappedSource, GivesWhatTheOtherSourceGives) {
  const NamedSamples source({"a", "b"});
  const WrappedSource wrapped(source);
  EXPECT_EQ(wrapped.size(), 2U);
  EXPECT_EQ(wrapped.sample_name(1), "b");
  EXPECT_EQ(wrapped.read(1).name, "b");
  EXPECT_EQ(wrapped.batch(), source.batch());
}

TEST(WrappedSource, HoldsTheOtherSource) {
  const SampleSubset subset(std::make_unique<NamedSamples>(std::vector<std::string>{"a", "b"}), {1});
  EXPECT_EQ(subset.sample_name(0), "b");
}

TEST(SampleSubset, OfASubsetChoosesAmongItsSamples) {
  const NamedSamples source({"a", "b", "c"});
  const SampleSubset last(source, {1, 2});
  const SampleSubset first_of_last(last, {0});
  EXPECT_EQ(first_of_last.sample_name(0), "b");
  EXPECT_EQ(first_of_last.read(0).index, 1U) << "that of the source";
}

TEST(NumberedAnew, CountsTheSamplesOfASubset) {
  const NamedSamples source({"a", "b", "c"});
  const auto chosen = numbered_anew(std::make_unique<SampleSubset>(source, std::vector<size_t>{2, 0}));
  EXPECT_EQ(chosen->read(0).name, "c");
  EXPECT_EQ(chosen->read(0).index, 0U);
  EXPECT_EQ(chosen->read(1).index, 1U);
}

TEST(ChangedSource, ChangesWhatItReads) {
  const ChangedSource source(std::make_unique<NamedSamples>(std::vector<std::string>{"a", "b"}),
                             [](Sample& sample, size_t i) { sample.name += std::to_string(i); });
  EXPECT_EQ(source.read(1).name, "b1");
  EXPECT_EQ(source.sample_name(1), "b");
}

TEST(ReadSource, NamesAndNumbersWhatAFunctionReads) {
  const ReadSource source(2, names_in("x.npy"), [](size_t i) {
    return Sample{.index = 9, .name = "", .inputs = std::vector<Tensor>(i + 1)};
  });
  EXPECT_EQ(source.size(), 2U);
  const Sample last = source.read(1);
  EXPECT_EQ(last.name, "x.npy[1]");
  EXPECT_EQ(last.name, source.sample_name(1));
  EXPECT_EQ(last.index, 1U);
  EXPECT_EQ(last.inputs.size(), 2U);
}

}  // namespace
}  // namespace detent
