#include "run/sample_stream.h"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <type_traits>

#include "core/passage.h"
#include "core/stop.h"
#include "detent/base/error.h"
#include "run/workers.h"

namespace detent {

namespace {

/// A joiner of samples, which arrive in order, to groups.
class GroupAssembler {
 public:
  explicit GroupAssembler(const StreamOptions& options)
      : size_(std::max<size_t>(options.group_size, 1)), last_(options.last_group) {}

  /// Adds a sample; returns a group when it is full.
  [[nodiscard]] std::optional<SampleGroup> add(Sample sample) {
    waiting_.push_back(std::move(sample));
    if (waiting_.size() < size_) return std::nullopt;
    return SampleGroup{std::exchange(waiting_, {}), size_};
  }
  /// Returns the incomplete last group when it is wanted; otherwise its samples stay and count as dropped.
  [[nodiscard]] std::optional<SampleGroup> finish() {
    if (waiting_.empty() || last_ == StreamOptions::LastGroup::Drop) return std::nullopt;
    const size_t real = waiting_.size();
    while (last_ == StreamOptions::LastGroup::Fill && waiting_.size() < size_)
      waiting_.push_back(Sample(waiting_[real - 1]));
    return SampleGroup{std::exchange(waiting_, {}), real};
  }
  [[nodiscard]] size_t left() const { return waiting_.size(); }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  size_t size_;
  StreamOptions::LastGroup last_;
  std::vector<Sample> waiting_;
};

/// A sample on its way through the stages. One thread at a time holds it; TBB orders the hand-over.
struct Token {
  size_t index = 0;
  bool last = false;  // a separate token behind the last sample, which flushes the incomplete group
  std::optional<Sample> sample;
  std::optional<SampleGroup> group;
  size_t group_index = 0;
  std::shared_ptr<void> result;
  std::exception_ptr error;
};

class Stream {
 public:
  using Process = std::function<std::shared_ptr<void>(size_t, SampleGroup&&)>;
  using Finish = std::function<void(size_t, const std::shared_ptr<void>&)>;

  Stream(const DataSource& source, const StreamOptions& options, const Process& process, const Finish& finish)
      : source_(source), options_(options), process_(process), finish_(finish),
        threads_(options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency())),
        size_(source.size()), tokens_(tokens_for(threads_, options)), assembler_(options), slots_(threads_) {}

  StreamStatistics run() {
    if (size_ > 0) run_pipeline();
    if (first_error_) std::rethrow_exception(first_error_);
    if (cancelled()) throw Error(ErrorCode::Interrupted, "interrupted");
    report_dropped();
    return std::move(statistics_);
  }

 private:
  /// Returns the number of tokens. They end in order: behind the group that is processed longest stand the groups of
  /// all other threads, and the one that is read meanwhile. With fewer tokens a thread would wait for samples.
  static size_t tokens_for(size_t threads, const StreamOptions& options) {
    return std::max(2 * threads, threads * std::max<size_t>(options.group_size, 1) + 1);
  }

  /// Makes a stage of the pipeline that runs `work` on this object.
  template <class In, class Out, class Work>
  tbb::filter<In, Out> stage(tbb::filter_mode mode, Work work) {
    if constexpr (std::is_void_v<In>)
      return tbb::make_filter<In, Out>(mode, [this, work](tbb::flow_control& control) {
        const Passage passage;
        const StopScope scope(stop_);
        return (this->*work)(control);
      });
    else
      return tbb::make_filter<In, Out>(mode, [this, work](Token* token) {
        const Passage passage;
        const StopScope scope(stop_);
        return (this->*work)(token);
      });
  }

  void run_pipeline() {
    using tbb::filter_mode;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_);
    tbb::task_arena arena(static_cast<int>(threads_));
    const Passage passage;
    arena.execute([this] {
      const Passage inner;
      const tbb::filter<void, void> stages = stage<void, Token*>(filter_mode::serial_in_order, &Stream::begin) &
                                             stage<Token*, Token*>(filter_mode::parallel, &Stream::read) &
                                             stage<Token*, Token*>(filter_mode::serial_in_order, &Stream::assemble) &
                                             stage<Token*, Token*>(filter_mode::parallel, &Stream::process) &
                                             stage<Token*, void>(filter_mode::serial_in_order, &Stream::end);
      tbb::parallel_pipeline(tokens_.size(), stages);
      const Passage joined;  // before the stages go
    });
  }

  /// Begins a token. Tokens lie in a ring: the last stage ends them in order, so token i has ended when token
  /// i + tokens_.size() begins.
  Token* begin(tbb::flow_control& control) {
    if (next_ > size_ || cancelled() || failed_at_.load() != kNone) {
      control.stop();
      return nullptr;
    }
    Token& token = tokens_[next_ % tokens_.size()];
    token.index = next_;
    token.last = next_ == size_;
    ++next_;
    return &token;
  }

  Token* read(Token* token) {
    if (!token->last && wanted(*token)) guard(*token, [&] { token->sample = source_.read(token->index); });
    return token;
  }

  Token* assemble(Token* token) {
    if (token->error) pass_over_if_allowed(*token);
    if (token->last && wanted(*token)) token->group = assembler_.finish();
    if (token->sample) token->group = assembler_.add(std::move(*token->sample));
    token->sample.reset();
    if (token->group) token->group_index = next_group_++;
    return token;
  }

  Token* process(Token* token) {
    if (!token->group || token->error || !wanted(*token)) return token;
    const WorkerSlots::Held slot(slots_);
    guard(*token, [&] {
      // Isolated: a thread that waits inside process() must not pick up another sample, it would need a second slot.
      tbb::this_task_arena::isolate([&] { token->result = process_(*slot, std::move(*token->group)); });
    });
    return token;
  }

  void end(Token* token) {
    if (token->result && !token->error && !first_error_)
      guard(*token, [&] { finish_(token->group_index, token->result); });
    if (token->error && !first_error_ && !is_cancellation(token->error)) first_error_ = token->error;
    token->group.reset();
    token->result.reset();
    token->error = nullptr;
  }

  /// Runs `work`; keeps its exception in the token until its turn in the last stage, and gives up later samples.
  template <class Work>
  void guard(Token& token, Work&& work) {
    try {
      work();
    } catch (...) {
      token.error = std::current_exception();
      if (!may_pass_over(token)) give_up_behind(token.index);
    }
  }

  void give_up_behind(size_t index) {
    size_t seen = failed_at_.load();
    while (index < seen && !failed_at_.compare_exchange_weak(seen, index)) continue;
  }

  bool may_pass_over(const Token& token) const {
    if (!options_.skip_bad_data || token.sample || token.group || token.result) return false;
    try {
      std::rethrow_exception(token.error);
    } catch (const Error& error) {
      return error.code() == ErrorCode::InvalidData;
    } catch (...) {
      return false;
    }
  }

  void pass_over_if_allowed(Token& token) {
    if (!may_pass_over(token)) return;
    try {
      std::rethrow_exception(token.error);
    } catch (const Error& error) {
      options_.reporter->warn(std::string("skipped: ") + error.what());
    }
    ++statistics_.skipped;
    token.error = nullptr;
  }

  void report_dropped() {
    statistics_.dropped = assembler_.left();
    if (statistics_.dropped == 0) return;
    options_.reporter->warn("the last " + std::to_string(statistics_.dropped) +
                            " of the samples do not fill a batch of " + std::to_string(assembler_.size()) +
                            " and are left out");
  }

  /// True for a sample that Ctrl-C ended, which is no error: groups behind it that are done still count.
  [[nodiscard]] bool is_cancellation(const std::exception_ptr& thrown) const {
    if (!cancelled()) return false;
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      return error.code() == ErrorCode::Interrupted;
    } catch (...) {
      return false;
    }
  }
  /// Returns whether the stream is to stop, for any thread.
  [[nodiscard]] bool cancelled() const {
    const StopScope scope(stop_);
    return stop_requested();
  }
  /// False for work that must not begin any more.
  [[nodiscard]] bool wanted(const Token& token) const { return !cancelled() && token.index <= failed_at_.load(); }

  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  const DataSource& source_;
  const StreamOptions& options_;
  const Process& process_;
  const Finish& finish_;
  const size_t threads_;
  const size_t size_;
  const std::stop_token stop_ = caller_stop();  // TBB's threads work under it
  std::deque<Token> tokens_;
  size_t next_ = 0;
  size_t next_group_ = 0;
  GroupAssembler assembler_;
  StreamStatistics statistics_;
  WorkerSlots slots_;
  std::atomic<size_t> failed_at_{kNone};
  std::exception_ptr first_error_;
};

}  // namespace

StreamStatistics stream_groups(const DataSource& source, const StreamOptions& options, const Stream::Process& process,
                               const Stream::Finish& finish) {
  return Stream(source, options, process, finish).run();
}

}  // namespace detent
