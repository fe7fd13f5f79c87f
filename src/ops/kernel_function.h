#pragma once

#include <memory>
#include <utility>

#include "ops/kernel.h"

namespace detent {

/// A kernel whose whole state is what `run` captured: kernel_of([axis](KernelCall& call) { ... }).
template <class Run>
std::unique_ptr<Kernel> kernel_of(Run run) {
  class FunctionKernel final : public Kernel {
   public:
    explicit FunctionKernel(Run function) : function_(std::move(function)) {}
    void run(KernelCall& call) const override { function_(call); }

   private:
    Run function_;
  };
  return std::make_unique<FunctionKernel>(std::move(run));
}

/// A make function for a kernel class that takes the context.
template <class T>
std::unique_ptr<Kernel> make_kernel(const KernelContext& context) {
  return std::make_unique<T>(context);
}

}  // namespace detent
