#pragma once

#include <string>

namespace detent {

/// Limits all kernels of the process to an instruction set, so that CPUs with newer ones compute the same bits: "avx2"
/// (with FMA: x86 since 2013) or "avx512" (Skylake-SP's). "native" changes nothing. Call it before
/// anything is computed; a second call with the same name changes nothing.
/// Errors  Usage for another name; InvalidOption where this CPU lacks it; Internal when kernels were chosen before.
void use_instruction_set(const std::string& name);

}  // namespace detent
