#include "run/for_each_index.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "core/stop.h"

namespace detent {

void for_each_index(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  size_t error_index = std::numeric_limits<size_t>::max();
  const auto loop = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (i < error_index) {
          error_index = i;
          error = std::current_exception();
        }
        next = count;
      }
    }
  };
  const std::stop_token stop = caller_stop();
  const auto helper = [&] {
    const StopScope scope(stop);
    loop();
  };
  std::vector<std::jthread> helpers;
  for (size_t t = 1; t < std::min(threads, count); ++t) helpers.emplace_back(helper);
  loop();
  helpers.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace detent
