#pragma once

#include <array>
#include <dnnl.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/elementwise/activation.h"
#include "ops/kernel.h"

namespace detent::onednn {

/// Return the process's CPU engine, and a stream of the calling thread. Both set this thread's OpenMP team to one
/// thread: parallelism comes from samples running side by side, and a primitive must be made with the team it runs
/// with.
[[nodiscard]] const dnnl::engine& engine();
[[nodiscard]] dnnl::stream& stream();

/// A guard that gives oneDNN `threads` threads on the calling thread. Primitives must be made with the team they
/// run with. Only for kernels whose every output element is summed by one thread, whatever their number (convolutions).
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

 private:
  bool changed_;
};

/// Describes a tensor as it lies in memory (plain or channels-last).
[[nodiscard]] dnnl::memory::desc describe(const Shape& shape, Layout layout,
                                          dnnl::memory::data_type type = dnnl::memory::data_type::f32);
/// Return the tensor's memory as oneDNN sees it; the tensor must outlive the result. Float32, or memory that `desc`
/// describes.
/// Errors  InvalidModel when the tensor has fewer bytes than that.
[[nodiscard]] dnnl::memory wrap(const Tensor& tensor);
[[nodiscard]] dnnl::memory wrap(const Tensor& tensor, const dnnl::memory::desc& desc);

/// Returns the attributes of every primitive: user scratchpad (with the library's, a primitive made in one thread and
/// run in another crashes).
[[nodiscard]] dnnl::primitive_attr base_attributes();

/// An eltwise algorithm and its parameters.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha, beta;
};
/// Returns the algorithm of an activation; nullopt where oneDNN has none with the same meaning.
[[nodiscard]] std::optional<Eltwise> eltwise_of(const ActivationSpec& activation);

/// Memory objects of one primitive, kept in a Workspace from run to run: buffers come back at the same few places, and
/// making an object takes two allocations.
class MemoryObjects {
 public:
  /// Does what wrap() does. argument  DNNL_ARG_*, which has the same `desc` in every run
  [[nodiscard]] const dnnl::memory& wrap(int argument, const Tensor& tensor, const dnnl::memory::desc& desc);
  [[nodiscard]] const dnnl::memory& wrap(int argument, const Tensor& tensor);
  /// Returns an object of `bytes` bytes at `data`, made by `make` where none is kept.
  template <class Make>
  [[nodiscard]] const dnnl::memory& get(int argument, const void* data, size_t bytes, Make&& make) {
    for (const Object& object : objects_)
      if (object.data == data && object.argument == argument && object.bytes == bytes) return object.memory;
    Object fresh{argument, data, bytes, make()};
    if (objects_.size() < kMost) return objects_.emplace_back(std::move(fresh)).memory;
    next_ = (next_ + 1) % kMost;
    return (objects_[next_] = std::move(fresh)).memory;
  }

 private:
  struct Object {
    int argument;
    const void* data;
    size_t bytes;
    dnnl::memory memory;
  };
  static constexpr size_t kMost = 24;  // four places for six arguments
  std::vector<Object> objects_;
  size_t next_ = 0;  // the one that is replaced after this
};

/// The memory that a primitive reads and writes, by DNNL_ARG.
class Arguments {
 public:
  using Argument = std::pair<int, dnnl::memory>;
  Arguments(std::initializer_list<Argument> arguments) {
    for (const Argument& argument : arguments) push_back(argument);
  }
  /// Errors  Internal when there are more than any primitive takes.
  void push_back(Argument argument);
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] const Argument& operator[](size_t i) const { return all_[i]; }

  static constexpr size_t kMost = 16;

 private:
  std::array<Argument, kMost> all_;
  size_t count_ = 0;
};

/// Runs `primitive` with `arguments`, adding scratch memory from the workspace. objects  keep its object; nullptr: none
/// does
void execute(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Arguments arguments,
             Workspace& workspace, MemoryObjects* objects = nullptr);

/// Copies `from` into memory described by `to`; the same object when both are the same already.
[[nodiscard]] Tensor reorder(const dnnl::memory& from, const dnnl::memory::desc& to, Allocator& allocator);

/// Returns an error of oneDNN ("could not create a primitive") as Detent's error.
[[nodiscard]] Error as_error(const dnnl::error& error, const std::string& what);

}  // namespace detent::onednn
