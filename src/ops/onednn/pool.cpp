#include "ops/onednn/onednn.h"
#include "ops/window/pool_backend.h"

namespace detent {

namespace {

using dnnl::memory;

dnnl::algorithm algorithm_of(PoolKind kind) {
  switch (kind) {
    case PoolKind::Max: return dnnl::algorithm::pooling_max;
    case PoolKind::Mean: return dnnl::algorithm::pooling_avg_exclude_padding;
    default: return dnnl::algorithm::pooling_avg_include_padding;
  }
}

class PrimitivePool final : public ChannelsLastPool {
 public:
  /// end, dilations  as oneDNN counts them.
  PrimitivePool(PoolKind kind, const Shape& input, const Window& window, const Shape& output, const memory::dims& end,
                const memory::dims& dilations)
      : source_(onednn::describe(input, Layout::ChannelsLast)),
        destination_(onednn::describe(output, Layout::ChannelsLast)) {
    static_cast<void>(onednn::engine());
    const dnnl::pooling_v2_forward::desc description(dnnl::prop_kind::forward_inference, algorithm_of(kind), source_,
                                                     destination_, {window.strides.begin(), window.strides.end()},
                                                     {window.kernel.begin(), window.kernel.end()}, dilations,
                                                     {window.pad_begin.begin(), window.pad_begin.end()}, end);
    const dnnl::pooling_v2_forward::primitive_desc chosen(description, onednn::base_attributes(), onednn::engine());
    scratchpad_ = chosen.scratchpad_desc();
    primitive_ = dnnl::pooling_v2_forward(chosen);
  }

  void run(const Tensor& input, Tensor& output, Workspace& workspace) const override {
    onednn::execute(primitive_, scratchpad_,
                    {{DNNL_ARG_SRC, onednn::wrap(input, source_)}, {DNNL_ARG_DST, onednn::wrap(output, destination_)}},
                    workspace);
  }

 private:
  memory::desc source_, destination_, scratchpad_;
  dnnl::primitive primitive_;
};

}  // namespace

/// oneDNN refuses windows that lie in the padding altogether.
std::unique_ptr<const ChannelsLastPool> make_pool(PoolKind kind, const Shape& input, const Window& window,
                                                  const Shape& output) {
  memory::dims end(window.kernel.size());
  memory::dims dilations(window.kernel.size());
  for (size_t i = 0; i < end.size(); ++i) {
    const int64_t reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
    // The last window needs this much padding: ceil_mode may have widened it, floor narrowed it.
    end[i] = (window.output[i] - 1) * window.strides[i] + reach - input[i + 2] - window.pad_begin[i];
    dilations[i] = window.dilations[i] - 1;
    if (window.pad_begin[i] >= reach || end[i] >= reach || window.pad_begin[i] < 0) return nullptr;
  }
  try {
    return std::make_unique<PrimitivePool>(kind, input, window, output, end, dilations);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace detent
