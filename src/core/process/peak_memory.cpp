#include "core/process/peak_memory.h"

#include <fstream>
#include <string>

namespace detent {

double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib * 1024 / 1e6;
    }
  return 0;
}

}  // namespace detent
