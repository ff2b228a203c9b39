#pragma once

// Rows of tables of mistakes: a call, and the Error that it throws.
//
//     const FailingCall<> kMistakes[] = {
//         {[] { (void)sort(ones({3}), 2); }, "sort: axis 2 is out of range for f32[3]"},
//     };
//
// The rows must not be an argument of a macro, in which every line has the same number.

#include <concepts>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "wick/ir/error.h"
#include "wick/tensor/tensor.h"

namespace wick::testing_support {

/// A function with the line it is written on. One that takes a `uint32_t& line` at the end says
/// itself which line fails.
template <typename... Operands>
class CallWithLine {
 public:
  template <typename Function>
  CallWithLine(Function function,  // NOLINT(google-explicit-constructor): a row is a lambda
               std::source_location at = std::source_location::current())
      : at_(at),
        function_([function](Operands... operands, uint32_t& line) {
          const auto call = [&]() -> decltype(auto) {
            if constexpr (std::invocable<Function, Operands..., uint32_t&>) {
              return function(operands..., line);
            } else {
              return function(operands...);
            }
          };
          if constexpr (std::same_as<decltype(call()), Tensor>) {
            return call();
          } else {
            call();
            return Tensor();
          }
        }) {}

  /// What the function records, if that is a tensor.
  Tensor operator()(Operands... operands, uint32_t& line) const {
    line = at_.line();
    return function_(operands..., line);
  }

  const char* file() const { return at_.file_name(); }

 private:
  std::source_location at_;
  std::function<Tensor(Operands..., uint32_t&)> function_;
};

template <typename... Operands>
struct FailingCall {
  CallWithLine<Operands...> call;
  std::string message;
};

template <typename... Operands>
void PrintTo(const FailingCall<Operands...>& row, std::ostream* out) {
  *out << row.message;
}

/// Expects that `record`, which is given the call, fails with this message, op first, at the line
/// of the call.
template <typename... Operands, typename Record>
void expect_failure_during(const FailingCall<Operands...>& row, Record record) {
  uint32_t line = 0;
  try {
    record([&](Operands... operands) { return row.call(operands..., line); });
    ADD_FAILURE() << "no error, but should be: " << row.message;
  } catch (const Error& error) {
    EXPECT_EQ(error.op() + ": " + error.text(), row.message);
    EXPECT_STREQ(error.where().file, row.call.file());
    EXPECT_EQ(error.where().line, line) << error.what();
  }
}

template <typename... Operands>
void expect_failure(const FailingCall<Operands...>& row,
                    std::type_identity_t<Operands>... operands) {
  expect_failure_during(row, [&](auto call) { (void)call(operands...); });
}

}  // namespace wick::testing_support
