#include "ops/onednn/onednn.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/index.h"
#include "ops/transposed_product.h"

namespace detent {

namespace onednn {

namespace {

/// Sets OpenMP's team size, which is per thread, once in each thread that reaches oneDNN.
void use_one_thread() {
  thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

Team::Team(int threads) : changed_(threads > 1) {
  use_one_thread();
  if (changed_) omp_set_num_threads(threads);
}

Team::~Team() {
  if (changed_) omp_set_num_threads(1);
}

const dnnl::engine& engine() {
  use_one_thread();
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream& stream() {
  thread_local dnnl::stream instance(engine());
  return instance;
}

dnnl::memory::desc describe(const Shape& shape, Layout layout, dnnl::memory::data_type type) {
  const size_t rank = shape.rank();
  dnnl::memory::dims dims(shape.begin(), shape.end());
  dnnl::memory::dims strides(rank);
  int64_t stride = 1;
  const auto next = [&](size_t axis) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(1, shape[axis]);
  };
  if (layout == Layout::ChannelsLast) {
    next(1);
    for (size_t axis = rank; axis-- > 2;) next(axis);
    next(0);
  } else {
    for (size_t axis = rank; axis-- > 0;) next(axis);
  }
  return {dims, type, strides};
}

dnnl::memory wrap(const Tensor& tensor, const dnnl::memory::desc& desc) {
  // oneDNN looks at no sizes, and no sanitizer looks into its kernels.
  if (desc.get_size() > tensor.byte_count())
    throw Error(ErrorCode::InvalidModel, "an operand of type " + std::string(name_of(tensor.type())) + " and shape " +
                                             tensor.shape().to_string() + " has " +
                                             std::to_string(tensor.byte_count()) + " bytes, expected " +
                                             std::to_string(desc.get_size()));
  return {desc, engine(), const_cast<void*>(tensor.raw())};
}

dnnl::memory wrap(const Tensor& tensor) { return wrap(tensor, describe(tensor.shape(), tensor.layout())); }

const dnnl::memory& MemoryObjects::wrap(int argument, const Tensor& tensor, const dnnl::memory::desc& desc) {
  return get(argument, tensor.raw(), tensor.byte_count(), [&] { return onednn::wrap(tensor, desc); });
}

const dnnl::memory& MemoryObjects::wrap(int argument, const Tensor& tensor) {
  return get(argument, tensor.raw(), tensor.byte_count(), [&] { return onednn::wrap(tensor); });
}

dnnl::primitive_attr base_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void Arguments::push_back(Argument argument) {
  if (count_ == kMost) throw Error(ErrorCode::Internal, "a primitive with too many arguments");
  all_[count_++] = std::move(argument);
}

std::optional<Eltwise> eltwise_of(const ActivationSpec& activation) {
  using dnnl::algorithm;
  switch (activation.kind) {
    case OpKind::Relu: return Eltwise{algorithm::eltwise_relu, 0, 0};
    case OpKind::LeakyRelu: return Eltwise{algorithm::eltwise_relu, activation.alpha, 0};
    case OpKind::Clip: return Eltwise{algorithm::eltwise_clip, activation.alpha, activation.beta};
    case OpKind::Sigmoid: return Eltwise{algorithm::eltwise_logistic, 0, 0};
    case OpKind::Tanh: return Eltwise{algorithm::eltwise_tanh, 0, 0};
    case OpKind::Silu: return Eltwise{algorithm::eltwise_swish, 1, 0};
    case OpKind::HardSwish: return Eltwise{algorithm::eltwise_hardswish, 0, 0};
    default: return std::nullopt;
  }
}

void execute(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Arguments arguments,
             Workspace& workspace, MemoryObjects* objects) {
  if (const size_t bytes = scratchpad.get_size(); bytes > 0) {
    void* const data = workspace.scratch(bytes);
    const auto make = [&] { return dnnl::memory(scratchpad, engine(), data); };
    arguments.push_back({DNNL_ARG_SCRATCHPAD, objects ? objects->get(DNNL_ARG_SCRATCHPAD, data, bytes, make) : make()});
  }
  // The C++ interface wants a hash table for every call.
  std::array<dnnl_exec_arg_t, Arguments::kMost> list{};
  for (size_t i = 0; i < arguments.size(); ++i) list[i] = {arguments[i].first, arguments[i].second.get()};
  const auto count = static_cast<int>(arguments.size());
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive.get(), stream().get(), count, list.data()),
                          "could not execute a primitive");
}

Tensor reorder(const dnnl::memory& from, const dnnl::memory::desc& to, Allocator& allocator) {
  Tensor bytes(DataType::UInt8, Shape{as_extent(to.get_size())}, allocator);
  dnnl::memory target(to, engine(), bytes.mutable_raw());
  const dnnl::reorder::primitive_desc description(from, target, base_attributes());
  Workspace workspace;
  execute(dnnl::reorder(description), description.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, target}},
          workspace);
  return bytes;
}

Error as_error(const dnnl::error& error, const std::string& what) {
  return {ErrorCode::Unsupported, what + ": oneDNN says '" + error.what() + "'"};
}

}  // namespace onednn

void multiply_transposed(const TransposedProduct& product) {
  const auto& [a, a_row, b, c, c_row, m, n, k, adds] = product;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (int64_t i = 0; i < m && !adds; ++i) std::fill_n(c + i * c_row, n, 0.0F);
    return;
  }
  onednn::use_one_thread();
  if (dnnl::sgemm('N', 'T', m, n, k, 1.0F, a, a_row, b, k, adds ? 1.0F : 0.0F, c, c_row) != dnnl::status::success)
    throw Error(ErrorCode::Internal, "oneDNN refused a matrix product");
}

}  // namespace detent
