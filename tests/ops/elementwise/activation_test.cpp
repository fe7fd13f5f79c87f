#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

TEST(SwiGlu, GatesTheLinearInput) {
  const Tensor a = test::ramp({3, 4}), b = test::ramp({3, 4}, -1, 2);
  std::vector<double> expected;
  for (size_t i = 0; i < 12; ++i) {
    const double x = a.data<float>()[i];
    expected.push_back(x / (1 + std::exp(-1.5 * x)) * static_cast<double>(b.data<float>()[i]));
  }
  const std::string node = "y = SwiGLU<alpha = 1.5>(a, b)";
  test::expect_close(run_one(node, {a, b}, {28}), {3, 4}, expected, 1e-6, 1e-7);  // some roundings of 2^-24
  const auto run_as = [&](DataType type) {
    const Tensor y = run_one(node, {cast(a, type), cast(b, type)}, {28});
    EXPECT_EQ(y.type(), type);
    return cast(y, DataType::Float32);
  };
  test::expect_close(run_as(DataType::Float64), {3, 4}, expected, 1e-6, 1e-7);
  test::expect_close(run_as(DataType::Float16), {3, 4}, expected, 4e-3, 1e-3);  // inputs rounded to 2^-11
}

TEST(SwiGlu, DoesNotBroadcast) {
  EXPECT_THROW(run_one("y = SwiGLU(a, b)", {test::ramp({3, 4}), test::ramp({4})}, {28}), Error);
}

}  // namespace
}  // namespace detent
