#include "wick/passes/pass.h"

#include <utility>

namespace wick::passes {

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
