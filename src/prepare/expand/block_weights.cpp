#include <cmath>

#include "core/index.h"
#include "prepare/expand/expanders.h"
#include "prepare/expand/parts.h"

namespace detent::expand {

namespace {

/// Reads element `index` of a row of packed codes, low bits first. bits  2, 4 or 8
uint8_t code_at(std::span<const uint8_t> row, size_t index, size_t bits) {
  const size_t a_byte = 8 / bits;
  return static_cast<uint8_t>((row[index / a_byte] >> (index % a_byte * bits)) & ((1U << bits) - 1));
}

/// The constants of a MatMulNBits: codes [n, blocks, block * bits / 8], a scale and a zero point a block.
class BlockWeight {
 public:
  explicit BlockWeight(const Body& body)
      : k_(as_index(body.count("K"))), n_(as_index(body.count("N"))), block_(as_index(body.count("block_size"))),
        bits_(as_index(body.count("bits", 4))) {
    if (bits_ != 2 && bits_ != 4 && bits_ != 8) refuse("attribute bits=" + std::to_string(bits_) + " is not supported");
    if (k_ == 0 || n_ == 0 || block_ < 16 || block_ % 16 != 0)
      refuse("attributes K, N and block_size do not make a weight");
    blocks_ = (k_ + block_ - 1) / block_;
    scales_ = cast(take(body, 2, "scales", n_ * blocks_), DataType::Float32);
    codes_ = take(body, 1, "B", n_ * blocks_ * (block_ * bits_ / 8));
    if (!body.reads(3)) return;
    const Tensor* zeros = body.constant(3);
    packed_zeros_ = zeros && zeros->type() == DataType::UInt8;
    zeros_ = take(body, 3, "zero_points", packed_zeros_ ? n_ * zero_bytes() : n_ * blocks_);
    if (!packed_zeros_) zeros_ = cast(zeros_, DataType::Float32);
  }

  /// Returns the weight [K, N] in float: scale * (code - zero point).
  [[nodiscard]] Tensor floats() const {
    Tensor weight(DataType::Float32, Shape{static_cast<int64_t>(k_), static_cast<int64_t>(n_)});
    const auto out = weight.mutable_data<float>();
    const auto codes = codes_.data<uint8_t>();
    const auto scales = scales_.data<float>();
    const size_t block_bytes = block_ * bits_ / 8;
    for (size_t row = 0; row < n_; ++row) {
      for (size_t block = 0; block < blocks_; ++block) {
        const size_t at = row * blocks_ + block;
        const float zero = zero_of(row, block);
        const auto bytes = codes.subspan(at * block_bytes, block_bytes);
        for (size_t i = 0; i < block_ && block * block_ + i < k_; ++i)
          out[(block * block_ + i) * n_ + row] = scales[at] * (static_cast<float>(code_at(bytes, i, bits_)) - zero);
      }
    }
    return weight;
  }

 private:
  [[nodiscard]] size_t zero_bytes() const { return (blocks_ * bits_ + 7) / 8; }

  [[nodiscard]] float zero_of(size_t row, size_t block) const {
    if (zeros_.empty_handle()) return static_cast<float>(1U << (bits_ - 1));
    if (!packed_zeros_) return zeros_.data<float>()[row * blocks_ + block];
    return code_at(zeros_.data<uint8_t>().subspan(row * zero_bytes(), zero_bytes()), block, bits_);
  }

  static Tensor take(const Body& body, size_t slot, const std::string& name, size_t elements) {
    const Tensor* tensor = body.constant(slot);
    if (!tensor) refuse("its input " + std::to_string(slot) + " (" + name + ") is not constant");
    if (as_index(tensor->element_count()) != elements)
      refuse("its input " + std::to_string(slot) + " (" + name + ") holds " + std::to_string(tensor->element_count()) +
             " elements; K, N and block_size make " + std::to_string(elements));
    if (name == "B" && tensor->type() != DataType::UInt8) refuse("its codes are not uint8");
    return *tensor;
  }

  size_t k_, n_, block_, bits_, blocks_ = 0;
  Tensor codes_, scales_, zeros_;
  bool packed_zeros_ = false;
};

}  // namespace

void expand_matmul_n_bits(Body& body) {
  body.refuse_input(4, "g_idx");
  body.refuse_unless("weight_prepacked", 0);
  const Name weight = body.constant_of("weight", cast(BlockWeight(body).floats(), body.type(0)));
  const Name product = body.add("MatMul", {body.input(0), weight});
  body.write(0, body.reads(5) ? body.add("Add", {product, body.input(5)}) : product);
}

}  // namespace detent::expand
