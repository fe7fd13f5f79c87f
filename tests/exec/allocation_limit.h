#pragma once

#include <cstddef>

namespace detent::test {

/// Bytes above which operator new throws std::bad_alloc in this test program: what an absurd attribute would claim is
/// refused before memory is touched.
extern size_t largest_allocation;

}  // namespace detent::test
