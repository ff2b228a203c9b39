#include "wick/ir/attributes.h"

#include <algorithm>
#include <bit>

namespace wick::ir {
namespace {

constexpr std::string_view kWrongType = "an attribute is read as the type it has";

bool before(const Attributes::Entry& entry, std::string_view name) {
  return entry.first < name;
}

/// Null when absent; the wrong type is a broken invariant.
template <typename T>
const T* read(const Attributes& attributes, std::string_view name) {
  const AttributeValue* value = attributes.find(name);
  if (value == nullptr) return nullptr;
  const T* typed = std::get_if<T>(value);
  check(typed != nullptr, kWrongType);
  return typed;
}

template <typename T>
const T& read_or_empty(const Attributes& attributes, std::string_view name) {
  static const T kEmpty;
  const T* value = read<T>(attributes, name);
  return value == nullptr ? kEmpty : *value;
}

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct ValueHash {
  Hash128 operator()(bool value) const { return {value ? 1U : 0U, 0}; }

  Hash128 operator()(int64_t value) const { return {static_cast<uint64_t>(value), 0}; }

  Hash128 operator()(double value) const { return {std::bit_cast<uint64_t>(value), 0}; }

  Hash128 operator()(const std::string& value) const { return hash_bytes(value); }

  Hash128 operator()(DType value) const { return {static_cast<uint64_t>(value), 0}; }

  Hash128 operator()(const std::vector<int64_t>& value) const {
    Hash128 hash{value.size(), 0};
    for (const int64_t element : value) {
      hash = combine(hash, static_cast<uint64_t>(element));
    }
    return hash;
  }

  Hash128 operator()(const std::vector<std::string>& value) const {
    Hash128 hash{value.size(), 0};
    for (const std::string& element : value) {
      hash = combine(hash, hash_bytes(element));
    }
    return hash;
  }

  Hash128 operator()(const Literal& value) const {
    return combine(hash_bytes(to_string(value.type())), hash_bytes(characters(value.bytes())));
  }
};

}  // namespace

Attributes::Attributes(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& entry : entries) {
    set(entry.first, entry.second);
  }
}

void Attributes::set(std::string_view name, AttributeValue value) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name, before);
  if (at != entries_.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    entries_.emplace(at, std::string(name), std::move(value));
  }
}

void Attributes::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == name; });
}

const AttributeValue* Attributes::find(std::string_view name) const {
  // A handful of entries at most: walking them is faster than halving.
  for (const Entry& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

bool Attributes::flag(std::string_view name) const {
  const bool* value = read<bool>(*this, name);
  return value != nullptr && *value;
}

int64_t Attributes::integer(std::string_view name, int64_t fallback) const {
  const auto* value = read<int64_t>(*this, name);
  return value == nullptr ? fallback : *value;
}

double Attributes::number(std::string_view name, double fallback) const {
  const auto* value = read<double>(*this, name);
  return value == nullptr ? fallback : *value;
}

const std::string& Attributes::text(std::string_view name) const {
  return read_or_empty<std::string>(*this, name);
}

const std::vector<int64_t>& Attributes::integers(std::string_view name) const {
  return read_or_empty<std::vector<int64_t>>(*this, name);
}

const std::vector<std::string>& Attributes::texts(std::string_view name) const {
  return read_or_empty<std::vector<std::string>>(*this, name);
}

DType Attributes::dtype(std::string_view name) const {
  const auto* value = read<DType>(*this, name);
  check(value != nullptr, "a dtype attribute that must be present is");
  return *value;
}

const Literal& Attributes::literal(std::string_view name) const {
  const auto* value = read<Literal>(*this, name);
  check(value != nullptr, "a literal attribute that must be present is");
  return *value;
}

Hash128 Attributes::hash() const {
  Hash128 hash{entries_.size(), 0};
  for (const auto& [name, value] : entries_) {
    hash = combine(hash, hash_bytes(name));
    hash = combine(hash, uint64_t{value.index()});
    hash = combine(hash, std::visit(ValueHash{}, value));
  }
  return hash;
}

}  // namespace wick::ir
