#pragma once

#include <cstdint>
#include <memory>

#include "ops/kernel.h"
#include "ops/window/window.h"

namespace detent {

enum class PoolKind : uint8_t { Max, Mean, MeanWithPadding };

/// A pooling of one fixed shape, of channels-last float tensors.
class ChannelsLastPool {
 public:
  virtual ~ChannelsLastPool() = default;
  virtual void run(const Tensor& input, Tensor& output, Workspace& workspace) const = 0;
};

/// Makes the pooling of this build; nullptr where it has none for this window. input, output  shapes, not empty.
[[nodiscard]] std::unique_ptr<const ChannelsLastPool> make_pool(PoolKind kind, const Shape& input, const Window& window,
                                                                const Shape& output);

}  // namespace detent
