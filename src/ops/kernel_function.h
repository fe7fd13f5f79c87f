#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

#include "ops/operator.h"

namespace detent {

/// Returns a kernel whose whole state is what `run` captured: kernel_of([axis](KernelCall& call) { ... }).
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

/// A make function for a kernel that reads nothing of its node.
template <void (*run)(KernelCall&)>
std::unique_ptr<Kernel> stateless(const KernelContext&) {
  return kernel_of(run);
}

/// Returns read(context), or read(context.node) for a function of the node alone.
template <auto read>
auto settings_of(const KernelContext& context) {
  if constexpr (std::invocable<decltype(read), const KernelContext&>)
    return read(context);
  else
    return read(context.node);
}

/// A make function: each call runs run(call, settings) with the settings that `read` makes once.
template <auto read, auto run>
std::unique_ptr<Kernel> make_with(const KernelContext& context) {
  return kernel_of([settings = settings_of<read>(context)](KernelCall& call) { run(call, settings); });
}

/// A check function: refuses a node for which `read` throws.
template <auto read>
std::optional<Unsupported> refuse_unreadable(const KernelContext& context) {
  try {
    (void)settings_of<read>(context);
  } catch (const Error& error) {
    return Unsupported{error.what()};
  }
  return std::nullopt;
}

}  // namespace detent
