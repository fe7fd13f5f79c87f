#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace detent {

/// Values made once per input shape and shared by all workers.
template <class Key, class Compiled>
class ShapeCache {
 public:
  /// Returns the entry for `key`, made by `make(key)` under a lock when it is not there yet.
  template <class Make>
  const Compiled& get(const Key& key, Make&& make) const {
    {
      const std::shared_lock lock(mutex_);
      for (const auto& [known, compiled] : entries_)
        if (known == key) return *compiled;
    }
    const std::unique_lock lock(mutex_);
    for (const auto& [known, compiled] : entries_)
      if (known == key) return *compiled;
    entries_.emplace_back(key, std::make_unique<Compiled>(make(key)));
    return *entries_.back().second;
  }

 private:
  mutable std::shared_mutex mutex_;
  mutable std::vector<std::pair<Key, std::unique_ptr<Compiled>>> entries_;
};

}  // namespace detent
