#pragma once

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "codegen/run_lowered.h"
#include "support/guarded_pages.h"
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

/// The same with operands and results that begin, then end, where memory may not be touched.
inline void check_program_between_guards(const std::string& text) {
  using Kind = codegen::ArgBinding::Kind;
  const auto fused = parse_and_fuse(text);
  const ir::Node& fusion = *fusions_of(*fused).at(0);
  for (const bool at_end : {false, true}) {
    use_launch_runner([&](const codegen::KernelLaunch& launch, std::span<void* const> buffers) {
      std::list<GuardedPages> pages;
      std::vector<void*> guarded(buffers.begin(), buffers.end());
      std::vector<size_t> sizes;
      for (size_t i = 0; i < buffers.size(); ++i) {
        const codegen::ArgBinding& arg = launch.args[i];
        if (arg.kind == Kind::own) {
          sizes.push_back(0);
          continue;
        }
        const bool is_operand = arg.kind == Kind::operand;
        const Type& type = is_operand ? fusion.operand(arg.index).type() : fusion.type(arg.index);
        sizes.push_back(type.num_bytes());
        pages.emplace_back();
        guarded[i] = at_end ? pages.back().tail(sizes[i]) : pages.back().head();
        std::memcpy(guarded[i], buffers[i], sizes[i]);
      }
      codegen::KernelCache::instance().get (*launch.kernel)(
          guarded.data(), launch.params.data(), 0, launch.task_extent, 0, launch.vector_extent);
      for (size_t i = 0; i < buffers.size(); ++i)
        if (launch.args[i].kind == Kind::result) std::memcpy(buffers[i], guarded[i], sizes[i]);
    });
    expect_kernels_agree(*ir::parse_graph(text), 11);
  }
  use_launch_runner(nullptr);
}

}  // namespace wick::test
