#include "ops/onednn/sound_kernels.h"

#include <algorithm>

namespace detent::onednn {

namespace {

struct Fault {
  std::string_view part;  ///< of the implementation's name
  bool (*shows)(const KernelUse&);
};

bool always(const KernelUse& /*use*/) { return true; }
bool with_residual(const KernelUse& use) { return use.residual; }

// Found in oneDNN 2.6.3 by random shapes whose operands end at a protected page and whose results are compared with
// loops (tests/ops/onednn/sound_kernels_test.cpp), on a Xeon with every instruction set, November 2026.
constexpr Fault kFaults[] = {
    {"ref", always},  // right, but up to 100 times slower than Detent's other ways
    // jit_1x1 loads tiles of 12 rows behind the last row of its source (6x6 images: SIGSEGV of convnext_mini), and
    // brg follows a pointer behind the end of its list for inner extents of 126 and 127. The kernels of VNNI take over.
    {"amx", always},
    // Of grouped convolutions the groups beyond the first read binary operands, the factors of the channels, behind
    // their end.
    {"gemm_s8", [](const KernelUse& use) { return use.groups > 1; }},
    // Adds the wrong elements of a residual in grouped convolutions and where images have few pixels.
    {"gemm:jit", with_residual},
    // Takes a residual of one pixel for factors of channels.
    {"brdgmm_dw", with_residual},
    // Reads whole vectors of a residual with one channel, behind its end.
    {"jit_uni_int8_1x1", with_residual},
    // Depthwise convolutions leave 0 in the last channels that fill no vector (AVX2-VNNI, and SSE4.1 behind it).
    {"jit_uni_int8:", [](const KernelUse& use) { return use.groups > 1 && use.channels % 8 != 0; }},
};

}  // namespace

bool is_sound_kernel(std::string_view name, const KernelUse& use) {
  return std::ranges::none_of(
      kFaults, [&](const Fault& fault) { return name.find(fault.part) != std::string_view::npos && fault.shows(use); });
}

}  // namespace detent::onednn
