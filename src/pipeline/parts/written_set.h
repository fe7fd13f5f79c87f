#pragma once

#include <filesystem>
#include <vector>

namespace detent {

/// Written models that belong together. Removes them with the process or the object, unless they are kept.
class WrittenSet {
 public:
  WrittenSet() = default;
  WrittenSet(const WrittenSet&) = delete;
  WrittenSet& operator=(const WrittenSet&) = delete;
  ~WrittenSet();
  /// Adds a model that was written, with its external data.
  void add(const std::filesystem::path& model);
  void keep() { kept_ = true; }

 private:
  std::vector<std::filesystem::path> files_;
  bool kept_ = false;
};

}  // namespace detent
