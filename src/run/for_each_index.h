#pragma once

#include <cstddef>
#include <functional>

namespace detent {

/// Calls work(0) ... work(count - 1), each once, on up to `threads` threads, the calling one included. Returns when all
/// are done.
/// Errors  the exception of the lowest index that threw, after the others ended; other indices may not be begun.
void for_each_index(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace detent
