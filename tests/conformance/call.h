#pragma once

// What an entry of the table sees of a case: the tensor arguments in the order of the PyTorch
// function's, and its other arguments by PyTorch's names.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "wick/tensor/tensor.h"

namespace wick::conformance {

class Call {
 public:
  Call(std::vector<Tensor> inputs, const nlohmann::json& attributes)
      : inputs_(std::move(inputs)),
        attributes_(&attributes) {}

  /// Input i; undefined for an optional one that is absent, also at the end of the list.
  const Tensor& operator[](size_t i) const;

  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }

  // Attributes. One that is null counts as absent; without a fallback that is an error.

  [[nodiscard]] bool has(const char* name) const;
  [[nodiscard]] bool is_list(const char* name) const;
  [[nodiscard]] bool is_text(const char* name) const;
  [[nodiscard]] bool flag(const char* name, bool fallback = false) const;
  [[nodiscard]] int64_t integer(const char* name) const;
  [[nodiscard]] int64_t integer(const char* name, int64_t fallback) const;
  [[nodiscard]] int axis(const char* name = "dim") const;
  [[nodiscard]] int axis(const char* name, int fallback) const;
  /// Also of the texts "inf", "-inf" and "nan".
  [[nodiscard]] double real(const char* name) const;
  [[nodiscard]] double real(const char* name, double fallback) const;
  /// An integer where the attribute is written as one, else a real number.
  [[nodiscard]] Operand number(const char* name) const;
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] std::string text(const char* name, const char* fallback) const;
  /// A list of integers; one integer is a list of one, an absent attribute an empty one.
  [[nodiscard]] Axes axes(const char* name = "dim") const;
  /// As axes, but one integer stands for `count` of them.
  [[nodiscard]] Axes axes(const char* name, size_t count) const;
  [[nodiscard]] std::vector<Axes> lists(const char* name) const;
  [[nodiscard]] Shape shape(const char* name) const;
  [[nodiscard]] DType dtype(const char* name) const;

 private:
  [[nodiscard]] const nlohmann::json& at(const char* name) const;

  std::vector<Tensor> inputs_;
  const nlohmann::json* attributes_;  // of the case, which outlives the call
};

/// From PyTorch's name of a dtype, `float32`. Throws std::invalid_argument.
DType dtype_from_name(const std::string& name);

}  // namespace wick::conformance
