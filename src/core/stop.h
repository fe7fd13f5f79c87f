#pragma once

#include <algorithm>
#include <cstddef>
#include <stop_token>

namespace detent {

/// True when this thread's work is to end: interrupted() is set, or the caller of the work asked for its end
/// (StopScope). Costs two loads.
[[nodiscard]] bool stop_requested();

/// Marks this thread's work as done for the caller who holds `token`, while this object lives. A token that cannot be
/// stopped leaves the outer scope in force. Every public function that takes RunSettings makes one; threads started by
/// such work make one of caller_stop().
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

/// Returns the token that this thread works under; one that cannot be stopped when there is none.
[[nodiscard]] std::stop_token caller_stop();

/// Returns the token of work that nothing stops, not even interrupted().
[[nodiscard]] const std::stop_token& unstopped_token();

/// Stops loops whose length an input or the model decides: call it often enough that Ctrl-C takes effect within a
/// second.
/// Errors  Interrupted once stop_requested().
void stop_if_interrupted();

/// Calls work(first, last) over [0, count) in blocks of 64 Ki, which take milliseconds, and checks for Ctrl-C between
/// them.
template <class Work>
void in_stoppable_blocks(size_t count, Work&& work) {
  constexpr size_t kBlock = size_t{1} << 16;
  for (size_t first = 0; first < count; first += kBlock) {
    stop_if_interrupted();
    work(first, std::min(count, first + kBlock));
  }
}

}  // namespace detent
