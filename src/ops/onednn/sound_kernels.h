#pragma once

#include <cstdint>
#include <string_view>

namespace detent::onednn {

/// A use of a convolution or product, as far as it decides whether an implementation of oneDNN is right for it.
struct KernelUse {
  bool residual = false;             ///< a tensor as large as the output is added inside
  int64_t groups = 1, channels = 1;  ///< of the output
};

/// True where the implementation of that name is more than reference loops, reads only its operands, and computes the
/// right values. The faults that are known of oneDNN 2.6.3 stand in the source file, each with what shows it.
[[nodiscard]] bool is_sound_kernel(std::string_view name, const KernelUse& use);

/// Moves to the first implementation that is sound for `use`; false where there is none.
template <class PrimitiveDesc>
[[nodiscard]] bool find_sound_kernel(PrimitiveDesc& description, const KernelUse& use) {
  if (!description.get(true)) return false;
  while (!is_sound_kernel(description.impl_info_str(), use))
    if (!description.next_impl()) return false;
  return true;
}

}  // namespace detent::onednn
