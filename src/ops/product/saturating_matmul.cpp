#include "ops/product/saturating_matmul.h"

#include <algorithm>

#include "core/stop.h"
#include "ops/onednn/post_ops.h"
#include "ops/operands.h"
#include "ops/traits.h"
#include "ops/window/saturating_layer.h"

namespace detent {

namespace {

class SaturatingMatMul final : public Kernel {
 public:
  SaturatingMatMul(const KernelContext& context, std::unique_ptr<const SaturatingLayer> layer)
      : layer_(std::move(layer)), transposed_(context.node.int_or("transA", 0) != 0),
        matrix_(layer_->weights(), layer_->order(), 0, layer_->outputs()),
        inner_(layer_->weights().element_count() / layer_->outputs()) {}

  void run(KernelCall& call) const override {
    const Tensor& given = call.input(0);
    const Shape& in = given.shape();
    layer_->check_type(given);
    const size_t along = transposed_ ? 0 : in.rank() - 1;
    if (in.rank() == 0 || (transposed_ && in.rank() != 2) || in[along] != inner_)
      throw Error(ErrorCode::InvalidData,
                  "cannot multiply " + in.to_string() + " by " + layer_->weights().shape().to_string());
    Shape to = in;
    if (transposed_) to[0] = in[1];
    to[in.rank() - 1] = layer_->outputs();
    const Tensor codes = layer_->codes(given, call.allocator());
    Tensor& output = call.make_output(0, DataType::Float32, to);
    const int64_t rows = in.element_count() / inner_;
    const uint8_t* const from = codes.data<uint8_t>().data();
    float* const out = output.mutable_data<float>().data();
    constexpr int64_t kRows = 64;
    Tensor lines(DataType::UInt8, Shape{kRows, matrix_.inner()}, call.allocator());
    Tensor sums(DataType::Int32, Shape{kRows, matrix_.sums_row()}, call.allocator());
    uint8_t* const line = lines.mutable_data<uint8_t>().data();
    int32_t* const sum = sums.mutable_data<int32_t>().data();
    for (int64_t begin = 0; begin < rows; begin += kRows) {
      stop_if_interrupted();
      const int64_t count = std::min(kRows, rows - begin);
      for (int64_t r = 0; r < count; ++r) {
        uint8_t* const to_row = line + r * matrix_.inner();
        for (int64_t k = 0; k < inner_; ++k)
          to_row[k] = from[transposed_ ? k * rows + begin + r : (begin + r) * inner_ + k];
        std::fill(to_row + inner_, to_row + matrix_.inner(), uint8_t{0});
      }
      matrix_.multiply(line, count, sum);
      for (int64_t r = 0; r < count; ++r)
        layer_->finish(sum + r * matrix_.sums_row(), 0, layer_->outputs(), out + (begin + r) * layer_->outputs());
    }
  }

 private:
  std::unique_ptr<const SaturatingLayer> layer_;
  bool transposed_;
  SaturatingMatrix matrix_;
  int64_t inner_;
};

}  // namespace

std::unique_ptr<Kernel> make_saturating_matmul(const KernelContext& context) {
  auto layer = SaturatingLayer::find(context);
  if (!layer) return nullptr;
  return std::make_unique<SaturatingMatMul>(context, std::move(layer));
}

}  // namespace detent
