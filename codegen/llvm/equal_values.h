#pragma once

// Which instructions of a kernel have the same value: loops load and compute again.

#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::llvm_jit {

class EqualValues {
 public:
  explicit EqualValues(const Kernel& kernel);

  /// The same number for what has the same value at one position: that of the first.
  [[nodiscard]] int of(int number) const { return values_[static_cast<size_t>(number)]; }

 private:
  [[nodiscard]] const Instr& instr(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  [[nodiscard]] int value_of_load(int number, const std::vector<int>& before) const;
  [[nodiscard]] int value_of_index(int number, const std::vector<int>& before) const;

  const Kernel& kernel_;
  std::vector<int> values_;
};

}  // namespace wick::codegen::llvm_jit
