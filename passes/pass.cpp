#include "wick/passes/pass.h"

#include <utility>

#include <fmt/format.h>

namespace wick::passes {

std::string to_string(const Remark& remark) {
  std::string text = fmt::format(
      "{}: remark: {}: {}: {}", to_string(remark.where), remark.pass, remark.code, remark.text);
  if (remark.other.is_known()) text += fmt::format("; see {}", to_string(remark.other));
  return text;
}

void PassContext::remark(Remark remark) {
  if (!wants_remarks_) return;
  if (remark.pass.empty()) {
    remark.pass = running_pass_;
  }
  remarks_.push_back(std::move(remark));
}

void PassContext::count(std::string_view statistic, int64_t amount) {
  std::string key = running_pass_;
  key.append(".").append(statistic);
  statistics_[std::move(key)] += amount;
}

}  // namespace wick::passes
