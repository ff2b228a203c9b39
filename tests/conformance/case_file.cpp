#include "case_file.h"

#include <fstream>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/tensor/ops.h"

namespace wick::conformance {
namespace {

using nlohmann::json;

/// The path of the file that a member names; empty for null.
std::string file_of(const json& object, const char* member, const std::string& folder) {
  const auto found = object.find(member);
  if (found == object.end() || found->is_null()) return {};
  return folder + "/" + found->get<std::string>();
}

Case parse_case(const json& object, const std::string& folder) {
  Case result{.name = object.at("name"),
              .op = object.at("op"),
              .attributes = object.at("attrs"),
              .inputs = {},
              .outputs = {},
              .tolerance = {object.at("rtol"), object.at("atol")},
              .gradient_tolerance = {object.at("grad_rtol"), object.at("grad_atol")}};
  for (const json& input : object.at("inputs")) {
    Input parsed{.file = file_of(input, "file", folder),
                 .gradient = file_of(input, "grad", folder),
                 .base = {},
                 .view = {}};
    if (input.contains("view") && !input["view"].is_null()) {
      parsed.base = file_of(input["view"], "base", folder);
      parsed.view = input["view"].at("ops");
    }
    result.inputs.push_back(std::move(parsed));
  }
  for (const json& output : object.at("outputs")) {
    result.outputs.push_back(
        {file_of(output, "file", folder), file_of(output, "cotangent", folder)});
  }
  return result;
}

int64_t bound(const json& value, int64_t if_null) {
  return value.is_null() ? if_null : value.get<int64_t>();
}

}  // namespace

std::vector<Case> read_cases(const std::string& folder) {
  const std::string path = folder + "/cases.jsonl";
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    try {
      cases.push_back(parse_case(json::parse(line), folder));
    } catch (const json::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, cases.size() + 1, error.what()));
    }
  }
  return cases;
}

Tensor apply_view(const Tensor& base, const json& ops) {
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  Tensor x = base;
  for (const json& op : ops) {
    const std::string name = op[0];
    if (name == "transpose") {
      x = transpose(x, op[1], op[2]);
    } else if (name == "slice") {
      x = slice(x, op[1], bound(op[2], 0), bound(op[3], kLast), bound(op[4], 1));
    } else if (name == "expand") {
      x = broadcast_to(x, Shape(op[1].get<Axes>()));
    } else if (name == "select") {
      x = select(x, op[1], op[2]);
    } else if (name == "flip") {
      x = slice(x, op[1], -1, kFirst, -1);
    } else {
      throw std::runtime_error(fmt::format("no view op {}", name));
    }
  }
  return x;
}

}  // namespace wick::conformance
