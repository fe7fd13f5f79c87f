#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "detent/error.h"
#include "detent/progress.h"

namespace detent {

/// For loops whose length an input or the model decides: called often enough that Ctrl-C is obeyed within a second.
/// Errors  Interrupted once interrupted() is set.
inline void stop_if_interrupted() {
  if (interrupted().load(std::memory_order_relaxed)) throw Error(ErrorCode::Interrupted, "interrupted");
}

/// While one lives nothing is open that a signal would have to clear away: the program then ends at once, however long libonnx's
/// checker or a plan would take. For what reads a model and for commands that write nothing until they are done.
class NothingToUndo {
 public:
  NothingToUndo() { ++alive(); }
  ~NothingToUndo() { --alive(); }
  NothingToUndo(const NothingToUndo&) = delete;
  NothingToUndo& operator=(const NothingToUndo&) = delete;
  /// How many there are; lock-free, so that a signal handler may ask.
  static std::atomic<int>& alive() {
    static constinit std::atomic<int> count{0};
    return count;
  }
};

/// Calls work(first, last) over [0, count) in blocks of 64 Ki, between which Ctrl-C is obeyed: a block takes milliseconds.
template <class Work>
void in_stoppable_blocks(size_t count, Work&& work) {
  constexpr size_t kBlock = size_t{1} << 16;
  for (size_t first = 0; first < count; first += kBlock) {
    stop_if_interrupted();
    work(first, std::min(count, first + kBlock));
  }
}

}  // namespace detent
