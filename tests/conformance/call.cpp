#include "call.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace wick::conformance {

const Tensor& Call::operator[](size_t i) const {
  static const Tensor kAbsent;
  return i < inputs_.size() ? inputs_[i] : kAbsent;
}

const nlohmann::json& Call::at(const char* name) const {
  if (!has(name)) throw std::invalid_argument(std::string("no attribute ") + name);
  return (*attributes_)[name];
}

bool Call::has(const char* name) const {
  const auto found = attributes_->find(name);
  return found != attributes_->end() && !found->is_null();
}

bool Call::is_list(const char* name) const {
  return has(name) && at(name).is_array();
}

bool Call::is_text(const char* name) const {
  return has(name) && at(name).is_string();
}

bool Call::flag(const char* name, bool fallback) const {
  return has(name) ? at(name).get<bool>() : fallback;
}

int64_t Call::integer(const char* name) const {
  return at(name).get<int64_t>();
}

int64_t Call::integer(const char* name, int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}

int Call::axis(const char* name) const {
  return at(name).get<int>();
}

int Call::axis(const char* name, int fallback) const {
  return has(name) ? axis(name) : fallback;
}

double Call::real(const char* name) const {
  const nlohmann::json& value = at(name);
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

double Call::real(const char* name, double fallback) const {
  return has(name) ? real(name) : fallback;
}

Operand Call::number(const char* name) const {
  if (at(name).is_number_integer()) return integer(name);
  return real(name);
}

std::string Call::text(const char* name) const {
  return at(name).get<std::string>();
}

std::string Call::text(const char* name, const char* fallback) const {
  return has(name) ? text(name) : fallback;
}

Axes Call::axes(const char* name) const {
  return axes(name, 1);
}

Axes Call::axes(const char* name, size_t count) const {
  if (!has(name)) return {};
  return is_list(name) ? at(name).get<Axes>() : Axes(count, integer(name));
}

std::vector<Axes> Call::lists(const char* name) const {
  return at(name).get<std::vector<Axes>>();
}

Shape Call::shape(const char* name) const {
  return Shape(axes(name));
}

DType Call::dtype(const char* name) const {
  return dtype_from_name(text(name));
}

DType dtype_from_name(const std::string& name) {
  using Row = std::pair<std::string_view, DType>;
  static constexpr std::array<Row, kNumDTypes> kRows = {{{"float32", DType::f32},
                                                         {"float64", DType::f64},
                                                         {"float16", DType::f16},
                                                         {"bfloat16", DType::bf16},
                                                         {"int8", DType::i8},
                                                         {"int16", DType::i16},
                                                         {"int32", DType::i32},
                                                         {"int64", DType::i64},
                                                         {"uint8", DType::u8},
                                                         {"bool", DType::bool_}}};
  for (const auto& [known, dtype] : kRows) {
    if (known == name) return dtype;
  }
  throw std::invalid_argument("no dtype " + name);
}

}  // namespace wick::conformance
