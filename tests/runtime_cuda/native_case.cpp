#include "runtime_cuda/native_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "codegen_cuda/emulated_text.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/codegen/cuda/nvrtc.h"
#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"

namespace wick::runtime::cuda {
namespace {

using codegen::cuda::test::EmulatedText;
using codegen::cuda::test::kernels_of;

const EmulatedText& compiled(const std::string& text) {
  static std::map<std::string, std::unique_ptr<EmulatedText>> texts;
  std::unique_ptr<EmulatedText>& entry = texts[text];
  if (!entry) entry = std::make_unique<EmulatedText>(text, kernels_of(text));
  return *entry;
}

/// A block of memory with known bytes around it.
class WatchedMemory {
 public:
  explicit WatchedMemory(size_t bytes) : size_(bytes), bytes_(bytes + 2 * kMargin, kMark) {}

  explicit WatchedMemory(std::span<const std::byte> content) : WatchedMemory(content.size()) {
    std::ranges::copy(content, data());
  }

  std::byte* data() { return bytes_.data() + kMargin; }

  void expect_margins_untouched() const {
    const auto is_marked = [](std::byte b) { return b == kMark; };
    EXPECT_TRUE(std::all_of(bytes_.begin(), bytes_.begin() + kMargin, is_marked)) << "in front";
    EXPECT_TRUE(std::all_of(bytes_.end() - kMargin, bytes_.end(), is_marked)) << "behind";
  }

  [[nodiscard]] std::span<const std::byte> content() const {
    return std::span(bytes_).subspan(kMargin, size_);
  }

 private:
  static constexpr size_t kMargin = 256;
  static constexpr std::byte kMark{0x7B};

  size_t size_;
  std::vector<std::byte> bytes_;
};

template <typename Draw>
Literal drawn(const Type& type, Draw draw) {
  Literal literal(type);
  visit_dtype(type.dtype, [&]<typename T>() {
    for (T& value : literal.mutable_values<T>())
      value = static_cast<T>(draw());
  });
  return literal;
}

}  // namespace

LibraryOp library_op_of(const NativeCase& c) {
  LibraryOp op{c.op, c.attributes, {}, {}};
  for (const Literal& operand : c.operands)
    op.operands.push_back(operand.type());
  std::vector<const Type*> types;
  for (const Type& type : op.operands)
    types.push_back(&type);
  op.result = ir::infer_type(c.op, types, c.attributes, {});
  return op;
}

Literal run_on_host(const NativeCase& c, const NativeRun& run) {
  const LibraryOp op = library_op_of(c);
  const std::optional<NativeProgram> program = make_native_program(op, run.limits);
  if (!program) throw std::runtime_error("no kernels for it");
  std::vector<WatchedMemory> operands;
  for (const Literal& operand : c.operands)
    operands.emplace_back(operand.bytes());
  std::vector<const void*> addresses;
  for (WatchedMemory& operand : operands)
    addresses.push_back(operand.data());
  WatchedMemory own_result(op.result.num_bytes());
  WatchedMemory workspace(program->workspace_bytes);
  WatchedMemory& result = run.in_place ? operands[0] : own_result;
  for (const NativeLaunch& launch : program->launches) {
    const LaunchArguments arguments(launch, addresses.data(), result.data(), workspace.data());
    compiled(program->text)
        .run(launch.symbol,
             {.grid_x = launch.shape.grid[0], .block_x = launch.shape.block[0]},
             arguments.addresses().data());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    operands[i].expect_margins_untouched();
    if (&result == &operands[i]) continue;
    EXPECT_TRUE(std::ranges::equal(operands[i].content(), c.operands[i].bytes())) << i;
  }
  own_result.expect_margins_untouched();
  workspace.expect_margins_untouched();
  return {op.result, result.content()};
}

void expect_as_interpreted(const NativeCase& c, double tolerance, const NativeRun& run) {
  SCOPED_TRACE(fmt::format("{} {}", c.op, c.operands[0].type()));
  expect_interpreted(c, run_on_host(c, run), tolerance);
}

void expect_interpreted(const NativeCase& c, const Literal& result, double tolerance) {
  std::vector<const Literal*> operands;
  for (const Literal& operand : c.operands)
    operands.push_back(&operand);
  const LibraryOp op = library_op_of(c);
  const Literal expected = ir::interpret_op(c.op, c.attributes, operands, op.result);
  if (!is_float(op.result.dtype)) {
    for (int64_t i = 0; i < expected.numel(); ++i)
      ASSERT_EQ(result.as_integer(i), expected.as_integer(i)) << i;
    return;
  }
  double largest = 0;
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double value = std::abs(expected.as_double(i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  for (int64_t i = 0; i < expected.numel(); ++i) {
    const double value = expected.as_double(i);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(result.as_double(i))) << i;
    } else if (std::isinf(value)) {
      ASSERT_EQ(result.as_double(i), value) << i;
    } else {
      ASSERT_NEAR(result.as_double(i), value, tolerance * largest) << i;
    }
  }
}

void expect_compiles(const NativeCase& c, const NativeLimits& limits) {
  using codegen::cuda::CompiledProgram;
  using codegen::cuda::Nvrtc;
  const Nvrtc& nvrtc = Nvrtc::instance();
  if (!nvrtc.is_available()) GTEST_SKIP() << "no NVRTC: " << nvrtc.problem();
  constexpr int kHopper = 90;
  constexpr int kSavedByCalls = 64;  // divisions of f64 and i64 are calls, and save registers
  const std::optional<NativeProgram> program = make_native_program(library_op_of(c), limits);

  const CompiledProgram compiled = nvrtc.compile(program->text, kHopper);

  SCOPED_TRACE(fmt::format("{} of {}", c.op, c.operands[0].type()));
  EXPECT_EQ(compiled.kind, CompiledProgram::Kind::cubin);
  EXPECT_EQ(compiled.resources.size(), kernels_of(program->text).size());
  for (const codegen::cuda::KernelResources& kernel : compiled.resources) {
    EXPECT_LE(kernel.spill_bytes, kSavedByCalls) << kernel.symbol;
    EXPECT_LE(kernel.registers, 80) << kernel.symbol;
  }
}

Literal small_numbers(const Type& type, uint64_t seed, int range) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> number(is_float(type.dtype) ? -range : 0, range);
  return drawn(type, [&] { return static_cast<float>(number(random)); });
}

Literal special_numbers(const Type& type, uint64_t seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {NAN, kInfinity, -kInfinity, 0.0F, -0.0F, 1.0F};
  if (!is_float(type.dtype)) return plain_numbers(type, seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> number(0, 10);
  return drawn(type, [&] {
    return random() % 10 == 0 ? kSpecial[random() % std::size(kSpecial)] : number(random);
  });
}

Literal plain_numbers(const Type& type, uint64_t seed) {
  std::mt19937_64 random(seed);
  if (is_float(type.dtype)) {
    std::uniform_real_distribution<float> number(-1, 1);
    return drawn(type, [&] { return number(random); });
  }
  if (type.dtype == DType::bool_) return drawn(type, [&] { return random() % 2 == 0; });
  Literal literal(type);
  visit_dtype(type.dtype, [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      for (T& value : literal.mutable_values<T>())
        value = static_cast<T>(random());
    }
  });
  return literal;
}

}  // namespace wick::runtime::cuda
