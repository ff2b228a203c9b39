#include "wick/ir/literal.h"

#include <algorithm>

#include "wick/ir/convert.h"

namespace wick {
namespace {

template <typename T>
T read(const std::byte* data, int64_t i) {
  T value;
  std::memcpy(&value, data + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

Literal::Literal(Type type) : type_(std::move(type)), bytes_(type_.num_bytes()) {}

Literal::Literal(Type type, std::span<const std::byte> bytes)
    : type_(std::move(type)),
      bytes_(bytes.begin(), bytes.end()) {
  check(bytes_.size() == type_.num_bytes(), "a literal has as many bytes as its type");
}

Literal Literal::scalar(DType dtype, double value) {
  Literal result(Type{dtype, {}});
  visit_dtype(dtype,
              [&]<typename T>() { result.mutable_values<T>()[0] = ir::from_double<T>(value); });
  return result;
}

Literal Literal::scalar_integer(DType dtype, int64_t value) {
  Literal result(Type{dtype, {}});
  visit_dtype(dtype,
              [&]<typename T>() { result.mutable_values<T>()[0] = ir::from_integer<T>(value); });
  return result;
}

double Literal::as_double(int64_t i) const {
  return visit_dtype(type_.dtype,
                     [&]<typename T>() { return ir::to_double(read<T>(bytes_.data(), i)); });
}

int64_t Literal::as_integer(int64_t i) const {
  return visit_dtype(type_.dtype,
                     [&]<typename T>() { return ir::convert<int64_t>(read<T>(bytes_.data(), i)); });
}

bool Literal::is_splat(double value) const {
  const int64_t count = numel();
  for (int64_t i = 0; i < count; ++i) {
    if (as_double(i) != value) return false;
  }
  return count > 0;
}

bool operator==(const Literal& a, const Literal& b) {
  return a.type_ == b.type_ && a.bytes_ == b.bytes_;
}

}  // namespace wick
