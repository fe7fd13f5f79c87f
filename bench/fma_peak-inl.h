// Included by one source file only: Highway compiles this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak-inl.h"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace detent::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes `rounds` times twelve multiply-adds that do not wait for each other and returns the number of float
/// operations. Latency 4 and two a cycle need eight; AVX2's sixteen registers hold twelve and the factor.
double RunFmas(int64_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999f);
  auto a = hn::Iota(d, 1), b = a, c = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a, m = a;
  for (int64_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, factor);
    b = hn::MulAdd(b, factor, factor);
    c = hn::MulAdd(c, factor, factor);
    e = hn::MulAdd(e, factor, factor);
    f = hn::MulAdd(f, factor, factor);
    g = hn::MulAdd(g, factor, factor);
    h = hn::MulAdd(h, factor, factor);
    i = hn::MulAdd(i, factor, factor);
    j = hn::MulAdd(j, factor, factor);
    k = hn::MulAdd(k, factor, factor);
    l = hn::MulAdd(l, factor, factor);
    m = hn::MulAdd(m, factor, factor);
    // The compiler must not see that all twelve are the same.
    __asm__ volatile("" : "+v"(a.raw), "+v"(b.raw), "+v"(c.raw), "+v"(e.raw), "+v"(f.raw), "+v"(g.raw));
    __asm__ volatile("" : "+v"(h.raw), "+v"(i.raw), "+v"(j.raw), "+v"(k.raw), "+v"(l.raw), "+v"(m.raw));
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
  *result = hn::GetLane(hn::Add(sum, hn::Add(hn::Add(j, k), hn::Add(l, m))));
  return 2.0 * 12.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace detent::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <ctime>

namespace detent::bench {

HWY_EXPORT(RunFmas);

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the peak floating-point operations a second of one core in float32: the fastest of some short runs of
/// independent multiply-adds with the widest vectors, by CPU time of the thread.
inline double fma_peak() {
  static const double kPeak = [] {
    double best = 0;
    float result = 0;
    for (int run = 0; run < 100; ++run) {
      const double begin = thread_seconds();
      const double operations = HWY_DYNAMIC_DISPATCH(RunFmas)(1'000'000, &result);
      best = std::max(best, operations / (thread_seconds() - begin));
    }
    return best;
  }();
  return kPeak;
}

}  // namespace detent::bench
#endif
