#include "codegen_cuda/emulated_text.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "support/temporary_folder.h"
#include "support/test_file.h"
#include <dlfcn.h>
#include <fmt/format.h>

namespace wick::codegen::cuda::test {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> kernels_of(const std::string& text) {
  static const std::regex kKernel(R"(__launch_bounds__\(\d+\)\s+(\w+)\()");
  std::vector<std::string> symbols;
  for (std::sregex_iterator at(text.begin(), text.end(), kKernel), end; at != end; ++at)
    symbols.push_back((*at)[1]);
  return symbols;
}

EmulatedText::EmulatedText(const std::string& text, const std::vector<std::string>& symbols) {
  const TemporaryFolder folder;
  const std::string base = folder.path().string() + "/kernels";
  std::ofstream source(base + ".cpp");
  source << fmt::format("#include \"{}\"\n",
                        test_file(WICK_SOURCE_DIR "/tests/codegen_cuda/emulation.h"))
         << text;
  for (const std::string& symbol : symbols) {
    source << fmt::format(
        "extern \"C\" void launch_{0}(void* const* arguments, unsigned grid_x, unsigned block_x,\n"
        "    unsigned block_y, bool exchanges) {{\n"
        "  emulation::launch<&{0}>(const_cast<void**>(arguments), grid_x, block_x, block_y,\n"
        "                          exchanges);\n}}\n"
        "extern \"C\" void sizes_{0}(std::vector<size_t>& sizes) {{\n"
        "  emulation::sizes_of({0}, sizes);\n}}\n",
        symbol);
  }
  source.close();
  // A device faults where a vector is not aligned; the host's instructions would not mind.
  const std::string command = fmt::format(
      "{} -std=c++17 -O1 -w -fPIC -shared -fsanitize=alignment,bounds,shift,signed-integer-overflow"
      " -fsanitize-undefined-trap-on-error {}.cpp -o {}.so 2> {}.log",
      WICK_CXX,
      base,
      base,
      base);
  if (std::system(command.c_str()) != 0) throw std::runtime_error(content_of(base + ".log"));
  library_ = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  const auto function = [this](const std::string& name) { return dlsym(library_, name.c_str()); };
  for (const std::string& symbol : symbols) {
    Entry& entry = entries_[symbol];
    entry.launch = reinterpret_cast<Launcher>(function("launch_" + symbol));
    reinterpret_cast<void (*)(std::vector<size_t>&)>(function("sizes_" + symbol))(entry.sizes);
  }
}

EmulatedText::~EmulatedText() {
  dlclose(library_);
}

void EmulatedText::run(const std::string& symbol,
                       const EmulatedShape& shape,
                       void* const* arguments) const {
  entries_.at(symbol).launch(
      arguments, shape.grid_x, shape.block_x, shape.block_y, shape.exchanges);
}

std::function<void()> EmulatedText::bind(const std::string& symbol,
                                         const EmulatedShape& shape,
                                         void* const* arguments) const {
  const Entry& entry = entries_.at(symbol);
  std::vector<std::vector<std::max_align_t>> values;
  for (size_t i = 0; i < entry.sizes.size(); ++i) {
    values.emplace_back(entry.sizes[i] / sizeof(std::max_align_t) + 1);
    std::memcpy(values.back().data(), arguments[i], entry.sizes[i]);
  }
  return [launch = entry.launch, shape, values = std::move(values)]() mutable {
    std::vector<void*> pointers;
    for (auto& value : values)
      pointers.push_back(value.data());
    launch(pointers.data(), shape.grid_x, shape.block_x, shape.block_y, shape.exchanges);
  };
}

}  // namespace wick::codegen::cuda::test
