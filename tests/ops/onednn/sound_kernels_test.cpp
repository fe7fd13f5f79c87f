// oneDNN's kernels on operands that end at a protected page: each reads only its operands and computes what plain loops
// compute. ctest runs these tests once for each instruction set of this CPU (tests/ops/CMakeLists.txt).

#include "ops/onednn/sound_kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <random>

#include "core/index.h"
#include "ops/find_operator.h"
#include "ops/one_node.h"
#include "ops/onednn/drawn_numbers.h"
#include "ops/onednn/integer_operands.h"

namespace detent {
namespace {

constexpr int kCases = 300;

/// A copy of a tensor whose last byte lies in front of a page that cannot be read.
class GuardedCopy {
 public:
  explicit GuardedCopy(const Tensor& tensor) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = tensor.byte_count(), pages = bytes / page + 1;
    size_ = (pages + 1) * page;
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    std::byte* end = static_cast<std::byte*>(memory_) + pages * page;
    std::memcpy(end - bytes, tensor.raw(), bytes);
    if (mprotect(end, page, PROT_NONE) != 0) throw std::bad_alloc();
    view_ = Tensor::view(tensor.type(), tensor.shape(), end - bytes, tensor.layout());
  }
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;
  ~GuardedCopy() { munmap(memory_, size_); }
  [[nodiscard]] const Tensor& view() const { return view_; }

 private:
  void* memory_;
  size_t size_;
  Tensor view_;
};

/// Draws numbers of one case.
class Draw {
 public:
  explicit Draw(uint32_t seed) : generator_(seed) {}
  int64_t one_of(std::initializer_list<int64_t> list) { return *(list.begin() + generator_() % list.size()); }
  int64_t between(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(generator_); }
  bool coin() { return generator_() % 2 == 0; }

 private:
  std::mt19937 generator_;
};

/// A convolution of square images, or a product: one pixel for each row, kernels of one pixel.
struct Layer {
  int64_t batch = 1, groups = 1, kernel = 1, stride = 1, pad = 0, size = 1, in = 1, out = 1, rows = 0;
  bool has_bias = false;
  std::string type = "uint8";
  int64_t zero_point = 0;

  [[nodiscard]] int64_t extent() const { return (size + 2 * pad - kernel) / stride + 1; }
  [[nodiscard]] int64_t terms() const { return in / groups * kernel * kernel; }
  [[nodiscard]] Shape input() const { return rows ? Shape{rows, in} : Shape{batch, in, size, size}; }
  [[nodiscard]] Shape output() const { return rows ? Shape{rows, out} : Shape{batch, out, extent(), extent()}; }
  [[nodiscard]] Shape weights() const { return rows ? Shape{in, out} : Shape{out, in / groups, kernel, kernel}; }
  [[nodiscard]] std::string attributes() const {
    const auto four = std::to_string(pad), two = std::to_string(stride);
    return "<group = " + std::to_string(groups) + ", strides = [" + two + "," + two + "], pads = [" + four + "," +
           four + "," + four + "," + four + "]>";
  }
  [[nodiscard]] std::string words() const {
    return (rows ? "product of " : "convolution of ") + type + " " + input().to_string() + ", weights " +
           weights().to_string() + " " + attributes() + ", zero point " + std::to_string(zero_point) +
           (has_bias ? ", bias" : "");
  }
};

void draw_type(Layer& layer, Draw& draw) {
  layer.has_bias = draw.coin();
  layer.type = draw.coin() ? "uint8" : "int8";
  if (draw.coin()) layer.zero_point = layer.type == "uint8" ? 121 : -9;
}

/// Few weights, because they are written as text, and at most 1000 terms: sums of codes below 256 times 31 are exact.
Layer drawn_convolution(uint32_t seed) {
  Draw draw(seed);
  Layer layer;
  do {
    layer = {};
    layer.batch = draw.one_of({1, 1, 2, 3});
    layer.kernel = draw.one_of({1, 1, 1, 2, 3, 5, 7});
    layer.stride = draw.one_of({1, 1, 2});
    layer.pad = draw.coin() ? layer.kernel / 2 : 0;
    layer.size = draw.coin() ? draw.one_of({1, 2, 6, 24}) : draw.between(1, 14);
    layer.in = draw.coin() ? draw.one_of({8, 16, 32, 64, 96, 128, 192}) : draw.between(1, 70);
    layer.out = draw.coin() ? draw.one_of({1, 8, 16, 32, 48}) : draw.between(1, 70);
    layer.groups = draw.one_of({1, 1, 2, layer.in});
    if (layer.groups == layer.in) layer.out = layer.in;
  } while (layer.in % layer.groups || layer.out % layer.groups || layer.size + 2 * layer.pad < layer.kernel ||
           layer.terms() > 1000 || layer.weights().element_count() > 6000);
  draw_type(layer, draw);
  return layer;
}

Layer drawn_product(uint32_t seed) {
  Draw draw(seed);
  Layer layer;
  do {
    layer = {};
    layer.rows = draw.coin() ? draw.one_of({1, 7, 16, 17, 64, 65, 257}) : draw.between(1, 150);
    layer.in = draw.coin() ? draw.one_of({4, 32, 64, 126, 127, 128, 192, 500}) : draw.between(1, 300);
    layer.out = draw.coin() ? draw.one_of({1, 10, 16, 32, 40, 64}) : draw.between(1, 100);
  } while (layer.weights().element_count() > 6000);
  draw_type(layer, draw);
  return layer;
}

/// The numbers of a layer: codes of the data, codes of the weights, whole biases.
struct Numbers {
  std::vector<int64_t> data, weights, bias;

  Numbers(const Layer& layer, uint32_t seed)
      : data(test::drawn_numbers(layer.input().element_count(), layer.type == "uint8" ? 0 : -128,
                                 layer.type == "uint8" ? 255 : 127, seed)),
        weights(test::drawn_numbers(layer.weights().element_count(), -31, 31, seed + 1)),
        bias(test::drawn_numbers(layer.out, -100, 100, seed + 2)) {
    if (!layer.has_bias) bias.assign(bias.size(), 0);
  }
};

/// Scales of the weights are powers of two, so that results are exact.
float weight_scale(int64_t channel) { return std::ldexp(1.0F, -static_cast<int>(channel % 3)); }

/// Returns the layer between pairs, the scale of its data being 1.
Model model_of(const Layer& layer, const Numbers& numbers) {
  std::vector<float> scales, bias;
  for (int64_t o = 0; o < layer.out; ++o) {
    scales.push_back(weight_scale(o));
    bias.push_back(static_cast<float>(numbers.bias[as_index(o)]) * scales.back());
  }
  std::string dims;
  for (const int64_t extent : layer.weights()) dims += (dims.empty() ? "" : ",") + std::to_string(extent);
  const std::string out = "[" + std::to_string(layer.out) + "]", axis = layer.rows ? "1" : "0";
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x) => (float[N] y) <float s = {1}, " + layer.type +
      " z = {" + std::to_string(layer.zero_point) + "}, int8[" + dims +
      "] q = " + test::number_list(std::span<const int64_t>(numbers.weights)) + ", float" + out +
      " ws = " + test::number_list(std::span<const float>(scales)) + ", int8" + out +
      " wz = " + test::number_list(std::span<const int64_t>(std::vector<int64_t>(as_index(layer.out)))) + ", float" +
      out + " b = " + test::number_list(std::span<const float>(bias)) +
      "> { k = QuantizeLinear (x, s, z) e = DequantizeLinear (k, s, z) w = DequantizeLinear <axis = " + axis +
      "> (q, ws, wz) y = " + (layer.rows ? "Gemm" : "Conv " + layer.attributes()) +
      (layer.has_bias ? "(e, w, b) }" : "(e, w) }"));
}

/// Returns one element of the output by the definition of the operator.
float expected_at(const Layer& layer, const Numbers& numbers, int64_t n, int64_t o, int64_t y, int64_t x) {
  int64_t sum = numbers.bias[as_index(o)];
  const int64_t inner = layer.in / layer.groups, first = o / (layer.out / layer.groups) * inner;
  for (int64_t i = 0; i < inner; ++i)
    for (int64_t ky = 0; ky < layer.kernel; ++ky)
      for (int64_t kx = 0; kx < layer.kernel; ++kx) {
        const int64_t row = y * layer.stride - layer.pad + ky, column = x * layer.stride - layer.pad + kx;
        if (row < 0 || column < 0 || row >= layer.size || column >= layer.size) continue;
        const int64_t at = ((n * layer.in + first + i) * layer.size + row) * layer.size + column;
        const int64_t weight =
            layer.rows ? i * layer.out + o : ((o * inner + i) * layer.kernel + ky) * layer.kernel + kx;
        sum += (numbers.data[as_index(at)] - layer.zero_point) * numbers.weights[as_index(weight)];
      }
  return static_cast<float>(sum) * weight_scale(o);
}

Tensor codes_of(const Layer& layer, const Numbers& numbers) {
  Tensor codes(layer.type == "uint8" ? DataType::UInt8 : DataType::Int8, layer.input());
  auto* bytes = static_cast<uint8_t*>(codes.mutable_raw());
  for (size_t i = 0; i < numbers.data.size(); ++i) bytes[i] = static_cast<uint8_t>(numbers.data[i]);
  return layer.rows ? codes : to_channels_last(codes);
}

/// Runs the kernel of the layer on guarded operands and compares every element. Says on standard error which layer it
/// is, so that the last line names one that crashes.
[[nodiscard]] bool is_right(const Layer& layer, uint32_t seed) {
  std::cerr << layer.words() << "\n";
  const Numbers numbers(layer, seed);
  const Model model = model_of(layer, numbers);
  const Node& node = model.graph().nodes().back();
  const auto kernel = find_operator("", node.op_type, 17)->make({model.graph(), node, 17});
  Tensor bias(DataType::Float32, Shape{layer.out});
  for (int64_t o = 0; o < layer.out; ++o)
    bias.mutable_data<float>()[as_index(o)] = static_cast<float>(numbers.bias[as_index(o)]) * weight_scale(o);
  const GuardedCopy codes(codes_of(layer, numbers)), floats(bias);
  std::vector<Tensor> inputs{codes.view(), Tensor(DataType::Float32, layer.weights())}, outputs(1);
  if (layer.has_bias) inputs.push_back(floats.view());
  Workspace workspace;
  constexpr size_t kScratch = size_t{1} << 22;
  std::memset(workspace.scratch(kScratch), 0x5a, kScratch);  // pointers in it that nothing wrote lead nowhere
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  kernel->run(call);
  const Tensor output = to_plain(outputs.front());
  if (output.shape() != layer.output()) throw Error(ErrorCode::Internal, layer.words());
  const int64_t images = layer.rows ? layer.rows : layer.batch, extent = layer.extent();
  for (int64_t n = 0, at = 0; n < images; ++n)
    for (int64_t o = 0; o < layer.out; ++o)
      for (int64_t y = 0; y < extent; ++y)
        for (int64_t x = 0; x < extent; ++x, ++at) {
          const float ours = output.data<float>()[as_index(at)], expected = expected_at(layer, numbers, n, o, y, x);
          if (ours == expected) continue;
          std::cerr << "  WRONG: element " << at << " is " << ours << ", not " << expected << "\n";
          return false;
        }
  return true;
}

bool sums_integers() {
  const Layer one;
  const Model model = model_of(one, Numbers(one, 0));
  return IntegerOperands::find({model.graph(), model.graph().nodes().back(), 17}) != nullptr;
}

/// Runs all cases in another process, where a kernel that leaves its operands ends with a signal.
void check_all(Layer (*drawn)(uint32_t)) {
  if (!sums_integers()) GTEST_SKIP() << "no 8-bit dot products in this instruction set";
  const auto cases = [&] {
    bool right = true;
    for (uint32_t seed = 0; seed < kCases; ++seed) right = is_right(drawn(seed), seed) && right;
    _exit(right ? 0 : 1);
  };
  EXPECT_EXIT(cases(), testing::ExitedWithCode(0), "");
}

TEST(SoundKernels, ConvolutionsOfCodesReadOnlyTheirOperandsAndAreExact) { check_all(drawn_convolution); }
TEST(SoundKernels, ProductsOfCodesReadOnlyTheirOperandsAndAreExact) { check_all(drawn_product); }

/// Small whole numbers, so that sums are exact in any order.
TEST(SoundKernels, AResidualThatIsAddedInsideIsTheSameAsOneThatIsAddedBehind) {
  for (uint32_t seed = 0; seed < kCases; ++seed) {
    const Layer layer = drawn_convolution(seed);
    const Tensor x = test::whole_numbers(layer.input(), seed), w = test::whole_numbers(layer.weights(), seed + 1),
                 r = test::whole_numbers(layer.output(), seed + 2);
    const auto run = [&](const std::string& outputs) {
      const Model model = parse_model_text("<ir_version: 7, opset_import: [\"\" : 13]> g (" + test::text_type(x) +
                                           " x, " + test::text_type(r) + " r) => (" + outputs + ") <" +
                                           test::text_type(w) + " w = " + test::text_values(w) + "> { c = Conv " +
                                           layer.attributes() + "(x, w) y = Add(c, r) }");
      return to_plain(run_once(model.graph(), {{x, r}}, model.graph().outputs()).back());
    };
    const Tensor inside = run("float[N] y"), behind = run("float[N] c, float[N] y");  // an output is not fused away
    ASSERT_EQ(inside.shape(), behind.shape());
    for (size_t i = 0; i < inside.data<float>().size(); ++i)
      ASSERT_EQ(inside.data<float>()[i], behind.data<float>()[i]) << layer.words() << ", element " << i;
  }
}

TEST(SoundKernels, RefusesWhatIsWrongAndTakesTheRest) {
  using onednn::is_sound_kernel;
  EXPECT_FALSE(is_sound_kernel("jit_1x1:avx512_core_amx_int8", {}));
  EXPECT_FALSE(is_sound_kernel("brg:avx512_core_amx_int8", {}));
  EXPECT_TRUE(is_sound_kernel("jit_int8_1x1:avx512_core_vnni", {.residual = true}));
  EXPECT_FALSE(is_sound_kernel("x64:gemm_s8u8s32:jit", {.groups = 2, .channels = 8}));
  EXPECT_TRUE(is_sound_kernel("x64:gemm_s8u8s32:jit", {.channels = 8}));
  EXPECT_FALSE(is_sound_kernel("x64:gemm:jit", {.residual = true}));
  EXPECT_TRUE(is_sound_kernel("x64:gemm:jit", {}));
  EXPECT_FALSE(is_sound_kernel("jit_uni_int8:avx2_vnni", {.groups = 3, .channels = 3}));
  EXPECT_FALSE(is_sound_kernel("jit_uni_int8:sse41", {.groups = 3, .channels = 3}));
  EXPECT_TRUE(is_sound_kernel("jit_uni_int8:avx2_vnni", {.groups = 8, .channels = 8}));
  EXPECT_FALSE(is_sound_kernel("gemm:ref", {}));
}

}  // namespace
}  // namespace detent
