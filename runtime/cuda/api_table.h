#pragma once

// Tables of function pointers into CUDA libraries: each is made from one list of names (driver.def
// and its relatives), filled when the library is first wanted, and replaceable for tests.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "wick/codegen/cuda/dynamic_library.h"
#include "wick/ir/error.h"

namespace wick::runtime::cuda {

template <typename Signature>
class ApiFunction;

/// A function of a library, found at run time, that knows its name.
template <typename Result, typename... Parameters>
class ApiFunction<Result(Parameters...)> {
 public:
  using Pointer = Result (*)(Parameters...);

  explicit ApiFunction(const char* name) : name_(name) {}

  Result operator()(Parameters... arguments) const { return pointer_(arguments...); }

  [[nodiscard]] const char* name() const { return name_; }

  void point_to(Pointer pointer) { pointer_ = pointer; }

  void point_to_address(void* address) { pointer_ = reinterpret_cast<Pointer>(address); }

 private:
  const char* name_;
  Pointer pointer_ = nullptr;
};

/// What a search for a library gave. One of the members is empty.
template <typename Api>
struct Found {
  const Api* api = nullptr;
  std::string problem;  // one sentence: "no driver: libcuda.so.1: cannot open shared object file"
};

/// Holds the table of one library: opened at first use, kept until the process ends.
template <typename Api>
class ApiSlot {
 public:
  explicit ApiSlot(Found<Api> (*open)()) : open_(open) {}

  Found<Api> find() {
    if (const Api* replacement = replacement_.load()) return {replacement, ""};
    std::call_once(once_, [this] { found_ = open_(); });
    return found_;
  }

  const Api& get() {
    const Found<Api> found = find();
    if (found.api == nullptr) throw Error({}, "cuda", found.problem);
    return *found.api;
  }

  /// Gives the previous replacement; null stands for the library itself.
  const Api* replace(const Api* api) { return replacement_.exchange(api); }

 private:
  Found<Api> (*open_)();
  std::once_flag once_;
  Found<Api> found_;
  std::atomic<const Api*> replacement_ = nullptr;
};

/// Specialized beside each table.
template <typename Api>
ApiSlot<Api>& api_slot();

/// While it lives, `api` stands for the library everywhere in the process: for tests. `api`
/// outlives it.
template <typename Api>
class ScopedApi {
 public:
  explicit ScopedApi(const Api& api) : previous_(api_slot<Api>().replace(&api)) {}

  ScopedApi(const ScopedApi&) = delete;
  ScopedApi& operator=(const ScopedApi&) = delete;

  ~ScopedApi() { api_slot<Api>().replace(previous_); }

 private:
  const Api* previous_;
};

/// Fills a table from the symbols of a library that is opened now. `name` is how people call it.
template <typename Api>
Found<Api> open_table(const char* name, const codegen::cuda::LibraryNames& names) {
  const codegen::cuda::DynamicLibrary library(names);
  if (!library.is_open()) return {nullptr, std::string("no ") + name + ": " + library.problem()};
  auto api = std::make_unique<Api>();
  std::string missing;
  api->for_each([&](auto& function) {
    void* address = library.symbol(function.name());
    if (address == nullptr && missing.empty()) missing = function.name();
    function.point_to_address(address);
  });
  if (!missing.empty()) {
    return {nullptr, std::string("no ") + name + ": " + library.path() + " lacks " + missing};
  }
  return {api.release(), ""};  // kept for good, as its library is
}

}  // namespace wick::runtime::cuda
