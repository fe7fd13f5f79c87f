#pragma once

#include <cstddef>

namespace detent::test {

/// Bytes above which operator new throws std::bad_alloc in this test program: memory for an absurd
/// attribute is refused before it is touched.
extern size_t largest_allocation;

}  // namespace detent::test
