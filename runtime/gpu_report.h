#pragma once

// What there is of GPUs and their libraries on this machine, and why not more.

#include <string>
#include <vector>

namespace wick::runtime {

struct GpuLibrary {
  std::string name;     // "cuBLASLt"
  std::string version;  // "13.1.0"; empty: not found
  std::string problem;  // why not
};

struct GpuReport {
  std::vector<std::string> gpus;  // "cuda:0: NVIDIA H200, sm_90, 139.8 GiB, 132 multiprocessors"
  std::string problem;            // why there is none: "no driver: libcuda.so.1: cannot open ..."
  std::vector<GpuLibrary> libraries;
};

/// Opens the driver and every CUDA library that Wick may use, which takes some 100 ms.
GpuReport gpu_report();

}  // namespace wick::runtime
