#pragma once

#if defined(__SANITIZE_THREAD__)
#include <mutex>
#endif

namespace detent {

#if defined(__SANITIZE_THREAD__)
/// Shows ThreadSanitizer an order that it cannot see because the library that keeps it (TBB, OpenMP) is not
/// instrumented: everything done before one passage began or ended is visible to every later passage. It hides races
/// between passages of one team, so it is used only where a library hands work over. Costs a few uncontended locks per
/// task.
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
/// Does nothing: the libraries order their tasks themselves.
class Passage {
 public:
  Passage() {}  // NOLINT(modernize-use-equals-default): a trivial one leaves its variables unused
};
#endif

}  // namespace detent
