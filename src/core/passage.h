#pragma once

#if defined(__SANITIZE_THREAD__)
#include <mutex>
#endif

namespace detent {

#if defined(__SANITIZE_THREAD__)
/// Shows to ThreadSanitizer an order that it cannot see, because the library that keeps it (TBB, OpenMP) is not
/// instrumented: all that was done before one passage began or ended is visible to every passage that begins later. It
/// hides races between passages of one team, so it stands only where a library hands work over. Uncontended locks, a
/// few for a task.
class Passage {
 public:
  Passage() { pass_gate(); }
  ~Passage() { pass_gate(); }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  static void pass_gate() {
    static std::mutex gate;
    const std::scoped_lock lock(gate);
  }
};
#else
/// The libraries order their tasks themselves: there is nothing to do.
class Passage {
 public:
  Passage() {}
};
#endif

}  // namespace detent
