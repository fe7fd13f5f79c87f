#include "run/sample_stream.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/stop.h"
#include "datasets/data_files.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Samples that hold their own number; samples listed in `bad` cannot be read.
class NumberSource final : public DataSource {
 public:
  explicit NumberSource(size_t size, std::vector<size_t> bad = {}, ErrorCode code = ErrorCode::InvalidData)
      : size_(size), bad_(std::move(bad)), code_(code) {}
  size_t size() const override { return size_; }
  std::string sample_name(size_t i) const override { return "s" + std::to_string(i); }
  Sample read(size_t i) const override {
    if (std::count(bad_.begin(), bad_.end(), i) > 0) throw Error(code_, "s" + std::to_string(i) + ": bad");
    most_alive.store(std::max(most_alive.load(), alive.fetch_add(1) + 1));
    return {i, sample_name(i), {Tensor::scalar<int64_t>(static_cast<int64_t>(i))}};
  }
  mutable std::atomic<size_t> alive{0}, most_alive{0};

 private:
  size_t size_;
  std::vector<size_t> bad_;
  ErrorCode code_;
};

struct Warnings final : Reporter {
  void begin(std::string_view, size_t) override {}
  void advance_to(size_t) override {}
  void end() override {}
  void warn(std::string_view message) override { messages.emplace_back(message); }
  std::vector<std::string> messages;
};

StreamOptions with_threads(size_t threads) {
  StreamOptions options;
  options.threads = threads;
  return options;
}

using Group = std::vector<int64_t>;

/// Streams and returns the finished groups: sample numbers, then the count of real ones.
std::vector<Group> groups_of(const DataSource& source, const StreamOptions& options,
                             StreamStatistics* statistics = nullptr) {
  std::vector<Group> groups;
  const StreamStatistics done = stream<Group>(
      source, options,
      [](size_t, std::vector<Sample>&& samples, size_t real) {
        Group group;
        for (const Sample& sample : samples) group.push_back(sample.inputs[0].data<int64_t>()[0]);
        group.push_back(static_cast<int64_t>(real));
        return group;
      },
      [&](size_t index, Group&& group) {
        EXPECT_EQ(index, groups.size());
        groups.push_back(std::move(group));
      });
  if (statistics) *statistics = done;
  return groups;
}

TEST(Stream, FinishesEverySampleInOrder) {
  for (const size_t threads : {1, 2, 8}) {
    const auto groups = groups_of(NumberSource(200), with_threads(threads));
    ASSERT_EQ(groups.size(), 200U);
    for (size_t i = 0; i < groups.size(); ++i) EXPECT_THAT(groups[i], ElementsAre(static_cast<int64_t>(i), 1));
  }
}

TEST(Stream, DoesNothingWithoutSamples) { EXPECT_THAT(groups_of(NumberSource(0), with_threads(2)), IsEmpty()); }

TEST(Stream, GivesEachRunningCallASlotOfItsOwn) {
  constexpr size_t kThreads = 4;
  std::vector<std::atomic<int>> users(kThreads);
  stream<int>(
      NumberSource(100), with_threads(kThreads),
      [&](size_t slot, std::vector<Sample>&&, size_t) {
        EXPECT_LT(slot, kThreads);
        EXPECT_EQ(users.at(slot).fetch_add(1), 0);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        users[slot].fetch_sub(1);
        return 0;
      },
      [](size_t, int&&) {});
}

TEST(Stream, KeepsFewSamplesInMemory) {
  const NumberSource source(500);
  stream<int>(
      source, with_threads(3), [](size_t, std::vector<Sample>&&, size_t) { return 0; },
      [&](size_t, int&&) { source.alive.fetch_sub(1); });
  EXPECT_LE(source.most_alive.load(), 6U) << "two a thread";
}

TEST(Stream, ProcessesAsManyGroupsAtATimeAsThereAreThreads) {
  using namespace std::chrono_literals;
  StreamOptions options = with_threads(3);
  options.group_size = 8;
  std::mutex mutex;
  std::condition_variable changed;
  size_t running = 0;
  bool all = false;
  stream<int>(
      NumberSource(24), options,
      [&](size_t, std::vector<Sample>&&, size_t) {
        std::unique_lock lock(mutex);
        all = all || ++running == 3;
        changed.notify_all();
        EXPECT_TRUE(changed.wait_for(lock, 120s, [&] { return all; })) << "groups wait for each other";
        return 0;
      },
      [](size_t, int&&) {});
}

TEST(Stream, KeepsFewGroupsInMemory) {
  const NumberSource source(480);
  StreamOptions options = with_threads(3);
  options.group_size = 4;
  stream<int>(
      source, options, [](size_t, std::vector<Sample>&& samples, size_t) { return static_cast<int>(samples.size()); },
      [&](size_t, int&& samples) { source.alive.fetch_sub(static_cast<size_t>(samples)); });
  EXPECT_LE(source.most_alive.load(), 16U) << "a group a thread, and one that is read";
}

TEST(Stream, DropsAnIncompleteLastGroupWithAWarning) {
  Warnings warnings;
  StreamOptions options = with_threads(2);
  options.group_size = 3;
  options.reporter = &warnings;
  StreamStatistics statistics;
  EXPECT_THAT(groups_of(NumberSource(8), options, &statistics), ElementsAre(Group{0, 1, 2, 3}, Group{3, 4, 5, 3}));
  EXPECT_EQ(statistics.dropped, 2U);
  ASSERT_EQ(warnings.messages.size(), 1U);
  EXPECT_THAT(warnings.messages[0], HasSubstr("the last 2 of the samples"));
}

TEST(Stream, FillsAnIncompleteLastGroupByRepetition) {
  Warnings warnings;
  StreamOptions options = with_threads(2);
  options.group_size = 4;
  options.last_group = StreamOptions::LastGroup::Fill;
  options.reporter = &warnings;
  StreamStatistics statistics;
  EXPECT_THAT(groups_of(NumberSource(6), options, &statistics),
              ElementsAre(Group{0, 1, 2, 3, 4}, Group{4, 5, 5, 5, 2}));
  EXPECT_EQ(statistics.dropped, 0U);
  EXPECT_THAT(warnings.messages, IsEmpty());
  EXPECT_THAT(groups_of(NumberSource(4), options), ElementsAre(Group{0, 1, 2, 3, 4})) << "nothing to fill";
}

TEST(Stream, LeavesAnIncompleteLastGroupShort) {
  Warnings warnings;
  StreamOptions options = with_threads(2);
  options.group_size = 3;
  options.last_group = StreamOptions::LastGroup::Short;
  options.reporter = &warnings;
  EXPECT_THAT(groups_of(NumberSource(5), options), ElementsAre(Group{0, 1, 2, 3}, Group{3, 4, 2}));
  EXPECT_THAT(warnings.messages, IsEmpty());
}

TEST(Stream, SkipsBadSamplesAndKeepsGroupsFull) {
  Warnings warnings;
  StreamOptions options = with_threads(3);
  options.group_size = 2;
  options.skip_bad_data = true;
  options.reporter = &warnings;
  StreamStatistics statistics;
  EXPECT_THAT(groups_of(NumberSource(7, {1, 4, 6}), options, &statistics), ElementsAre(Group{0, 2, 2}, Group{3, 5, 2}));
  EXPECT_EQ(statistics.skipped, 3U);
  EXPECT_THAT(warnings.messages, ElementsAre("skipped: s1: bad", "skipped: s4: bad", "skipped: s6: bad"));
}

TEST(Stream, StopsAtTheFirstBadSampleWhateverTheThreads) {
  for (const size_t threads : {1, 2, 8}) {
    const NumberSource source(50, {3, 4, 5, 20});
    std::vector<size_t> finished;
    const Error error = error_of<Error>([&] {
      stream<int>(
          source, with_threads(threads), [](size_t, std::vector<Sample>&&, size_t) { return 0; },
          [&](size_t index, int&&) { finished.push_back(index); });
    });
    EXPECT_STREQ(error.what(), "s3: bad");
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    EXPECT_THAT(finished, ElementsAre(0, 1, 2));
  }
}

TEST(Stream, DoesNotSkipOtherErrors) {
  StreamOptions options = with_threads(2);
  options.skip_bad_data = true;
  const Error error = error_of<Error>([&] { groups_of(NumberSource(9, {2}, ErrorCode::Unsupported), options); });
  EXPECT_EQ(error.code(), ErrorCode::Unsupported);
}

TEST(Stream, PassesOnWhatProcessAndFinishThrow) {
  for (const size_t threads : {1, 4}) {
    StreamOptions options = with_threads(threads);
    options.skip_bad_data = true;  // concerns reading only
    const Error processing = error_of<Error>([&] {
      stream<int>(
          NumberSource(40), options,
          [](size_t, std::vector<Sample>&& samples, size_t) -> int {
            if (samples[0].index >= 7) throw Error(ErrorCode::InvalidData, "process " + samples[0].name);
            return 0;
          },
          [](size_t, int&&) {});
    });
    EXPECT_STREQ(processing.what(), "process s7") << "the lowest sample's error";
    const Error finishing = error_of<Error>([&] {
      stream<int>(
          NumberSource(40), options, [](size_t, std::vector<Sample>&&, size_t) { return 0; },
          [](size_t index, int&&) {
            if (index == 5) throw Error(ErrorCode::CannotWrite, "finish", "free some space");
          });
    });
    EXPECT_EQ(finishing.code(), ErrorCode::CannotWrite);
    EXPECT_EQ(finishing.hint(), "free some space");
  }
}

TEST(Stream, StopsSoonWhenCancelledAndFinishesWhatWasProcessed) {
  for (const size_t threads : {1, 4}) {
    std::stop_source stop;
    const std::stop_token token = stop.get_token();
    const StopScope scope(token);
    const StreamOptions options = with_threads(threads);
    std::mutex mutex;
    std::vector<size_t> processed;
    std::vector<size_t> finished;
    const Error error = error_of<Error>([&] {
      stream<size_t>(
          NumberSource(10000), options,
          [&](size_t, std::vector<Sample>&& samples, size_t) {
            const std::scoped_lock lock(mutex);
            processed.push_back(samples[0].index);
            if (processed.size() == 10) stop.request_stop();
            return samples[0].index;
          },
          [&](size_t index, size_t&& sample) {
            EXPECT_EQ(index, sample);
            finished.push_back(sample);
          });
    });
    EXPECT_EQ(error.code(), ErrorCode::Interrupted);
    std::sort(processed.begin(), processed.end());
    EXPECT_EQ(finished, processed);
    EXPECT_LE(processed.size(), 10 + 2 * threads);
  }
}

TEST(Stream, LeavesNoTraceForTheNextRun) {
  const StreamOptions options = with_threads(2);
  {
    std::stop_source stop;
    stop.request_stop();
    const std::stop_token token = stop.get_token();
    const StopScope scope(token);
    EXPECT_EQ(error_of<Error>([&] { groups_of(NumberSource(5), options); }).code(), ErrorCode::Interrupted);
  }
  EXPECT_EQ(groups_of(NumberSource(5), options).size(), 5U);
}

}  // namespace
}  // namespace detent
