#pragma once

// A text of CUDA C++ compiled for the host by what compiled the tests, and run by emulation.h.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wick::codegen::cuda::test {

/// The kernels of a text, in order.
std::vector<std::string> kernels_of(const std::string& text);

struct EmulatedShape {
  unsigned grid_x = 1;
  unsigned block_x = 1;
  unsigned block_y = 1;
  /// Threads of a block wait for each other. Others are run one after the other, which is faster.
  bool exchanges = true;
};

class EmulatedText {
 public:
  /// `symbols`: all kernels that will run. Throws std::runtime_error with the compiler's messages.
  EmulatedText(const std::string& text, const std::vector<std::string>& symbols);
  EmulatedText(const EmulatedText&) = delete;
  EmulatedText& operator=(const EmulatedText&) = delete;
  ~EmulatedText();

  /// Runs a whole launch; `arguments` as cuLaunchKernel takes them.
  void run(const std::string& symbol, const EmulatedShape& shape, void* const* arguments) const;
  /// The same for later: copies the arguments. This outlives what it returns.
  [[nodiscard]] std::function<void()> bind(const std::string& symbol,
                                           const EmulatedShape& shape,
                                           void* const* arguments) const;

 private:
  using Launcher = void (*)(void* const*, unsigned, unsigned, unsigned, bool);

  struct Entry {
    Launcher launch = nullptr;
    std::vector<size_t> sizes;  // of the parameters
  };

  void* library_ = nullptr;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace wick::codegen::cuda::test
