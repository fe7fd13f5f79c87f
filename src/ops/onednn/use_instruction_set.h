#pragma once

#include <string>

namespace detent {

/// Holds all kernels of the process to an instruction set, so that CPUs with newer ones compute the same bits: "avx2"
/// (with FMA: x86 since 2013) or "avx512" (Skylake-SP's). "native" changes nothing. Called before anything is computed;
/// once more with the same name does no harm.
/// Errors  Usage for another name; InvalidOption where this CPU lacks it;
/// Internal when kernels were chosen before.
void use_instruction_set(const std::string& name);

}  // namespace detent
