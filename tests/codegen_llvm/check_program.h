#pragma once

#include <memory>
#include <string>

#include "codegen/run_lowered.h"
#include <gtest/gtest.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/parser.h"

namespace wick::test {

/// Compiles the program's one fusion, compares it with the interpreter and returns its last kernel.
inline std::shared_ptr<const codegen::Kernel> check_program(const std::string& text) {
  codegen::KernelCache::instance().reset("");
  use_kernel_runner(
      [](const codegen::Kernel& kernel) { return codegen::KernelCache::instance().get(kernel); });
  const auto fused = expect_kernels_agree(*ir::parse_graph(text), 11);
  use_kernel_runner(nullptr);
  const auto fusions = fusions_of(*fused);
  EXPECT_EQ(fusions.size(), 1U);
  return fusions.empty() ? nullptr : codegen::lower(*fusions[0]).launches.back().kernel;
}

}  // namespace wick::test
