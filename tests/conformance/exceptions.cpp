#include "exceptions.h"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace wick::conformance {

std::map<std::string, std::string> read_exceptions(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  std::map<std::string, std::string> exceptions;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.find(' ');
    if (space == std::string::npos) {
      throw std::runtime_error(fmt::format("{}: {} has no reason", path, line));
    }
    exceptions[line.substr(0, space)] = line.substr(space + 1);
  }
  return exceptions;
}

}  // namespace wick::conformance
