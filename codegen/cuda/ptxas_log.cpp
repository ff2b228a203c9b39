// ptxas -v prints for each kernel:
//
//   ptxas info    : Compiling entry function 'softmax' for 'sm_90'
//   ptxas info    : Function properties for softmax
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 40 registers, used 1 barriers, 16 bytes smem

#include <charconv>
#include <sstream>
#include <string_view>

#include "wick/codegen/cuda/nvrtc.h"

namespace wick::codegen::cuda {

namespace {

/// The number in front of `unit`, 0 if there is none: 40 of `Used 40 registers`.
int number_before(std::string_view line, std::string_view unit) {
  const size_t end = line.find(unit);
  if (end == std::string_view::npos || end == 0) return 0;
  size_t begin = end - 1;
  while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t')
    --begin;
  int number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

}  // namespace

std::vector<KernelResources> parse_ptxas_log(const std::string& log) {
  std::vector<KernelResources> found;
  std::istringstream lines(log);
  constexpr std::string_view kEntry = "Compiling entry function '";
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find(kEntry); at != std::string::npos) {
      const size_t begin = at + kEntry.size();
      found.push_back({.symbol = line.substr(begin, line.find('\'', begin) - begin)});
    }
    if (found.empty()) continue;
    KernelResources& kernel = found.back();
    if (line.find("spill stores") != std::string::npos) {
      kernel.stack_bytes = number_before(line, " bytes stack frame");
      kernel.spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string::npos) {
      kernel.registers = number_before(line, " registers");
      kernel.static_shared_bytes = number_before(line, " bytes smem");
    }
  }
  return found;
}

}  // namespace wick::codegen::cuda
