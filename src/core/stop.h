#pragma once

#include <algorithm>
#include <cstddef>
#include <stop_token>

namespace detent {

/// Whether this thread's work is to end: interrupted() is set, or the caller that the work is for asked for its end
/// (StopScope). Costs two loads.
[[nodiscard]] bool stop_requested();

/// Work of this thread is for the caller who holds `token`, while this object lives. A token that nobody can ask
/// anything leaves what held before. Every public function that takes RunSettings makes one; threads that such work
/// starts make one of caller_stop().
class StopScope {
 public:
  /// token  outlives this object.
  explicit StopScope(const std::stop_token& token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::stop_token* outer_;
};

/// The token that this thread works under; one that cannot be asked anything where there is none.
[[nodiscard]] std::stop_token caller_stop();

/// For loops whose length an input or the model decides: called often enough that Ctrl-C is obeyed within a second.
/// Errors  Interrupted once stop_requested().
void stop_if_interrupted();

/// Calls work(first, last) over [0, count) in blocks of 64 Ki, between which Ctrl-C is obeyed: a block takes
/// milliseconds.
template <class Work>
void in_stoppable_blocks(size_t count, Work&& work) {
  constexpr size_t kBlock = size_t{1} << 16;
  for (size_t first = 0; first < count; first += kBlock) {
    stop_if_interrupted();
    work(first, std::min(count, first + kBlock));
  }
}

}  // namespace detent
