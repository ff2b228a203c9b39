#include "wick/runtime/device.h"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace wick {

Device cuda(int ordinal) {
  if (ordinal < 0 || ordinal > 127)
    throw std::invalid_argument(fmt::format("cuda({}): there is no such GPU", ordinal));
  return {Device::Kind::cuda, static_cast<uint8_t>(ordinal)};
}

std::string to_string(Device device) {
  return device.is_cpu() ? "cpu" : fmt::format("cuda:{}", device.ordinal);
}

namespace runtime {

Device device_of_backend(std::string_view backend) {
  constexpr std::string_view kCuda = "cuda";
  if (!backend.starts_with(kCuda)) return cpu();
  backend.remove_prefix(kCuda.size());
  if (backend.empty()) return cuda();
  int ordinal = -1;
  const char* const end = backend.data() + backend.size();
  const auto parsed = std::from_chars(backend.data() + 1, end, ordinal);
  const bool is_ordinal = backend.front() == ':' && parsed.ec == std::errc() && parsed.ptr == end;
  return is_ordinal && ordinal >= 0 && ordinal <= 127 ? cuda(ordinal) : cpu();
}

}  // namespace runtime
}  // namespace wick
