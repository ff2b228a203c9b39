// Saving and loading of modules.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/module.h"
#include "wick/tensor/safetensors.h"

namespace wick::nn {

namespace {

struct Expected {
  std::string_view kind;  // "parameter" or "buffer"
  std::string name;
  const Type* type;
};

std::vector<Expected> expected_entries(const std::vector<NamedParameter>& parameters,
                                       const std::vector<NamedBuffer>& buffers) {
  std::vector<Expected> entries;
  for (const NamedParameter& named : parameters) {
    entries.push_back({"parameter", named.name, &named.parameter.type()});
  }
  for (const NamedBuffer& named : buffers) {
    entries.push_back({"buffer", named.name, &named.buffer.value().type()});
  }
  return entries;
}

void check_fits(const std::string& path,
                const std::map<std::string, Tensor>& file,
                const std::vector<Expected>& entries,
                Where where) {
  auto unknown = file;
  for (const Expected& entry : entries) {
    const auto found = file.find(entry.name);
    if (found == file.end()) {
      throw Error(where,
                  "load",
                  fmt::format("{}: the file has no {} {}, which is {} in the module",
                              path,
                              entry.kind,
                              entry.name,
                              to_string(*entry.type)));
    }
    if (found->second.type() != *entry.type) {
      throw Error(where,
                  "load",
                  fmt::format("{}: {} {} is {} in the file and {} in the module",
                              path,
                              entry.kind,
                              entry.name,
                              to_string(found->second.type()),
                              to_string(*entry.type)));
    }
    unknown.erase(entry.name);
  }
  if (unknown.empty()) return;
  throw Error(where,
              "load",
              fmt::format("{}: the module has no {}, which is {} in the file",
                          path,
                          unknown.begin()->first,
                          to_string(unknown.begin()->second.type())));
}

}  // namespace

void Module::save(const std::string& path, Where where) const {
  std::map<std::string, Tensor> values;
  for (const NamedParameter& named : named_parameters()) {
    values.emplace(named.name, named.parameter.value());
  }
  for (const NamedBuffer& named : named_buffers()) {
    values.emplace(named.name, named.buffer.value());
  }
  save_safetensors(path, values, {}, where);
}

void Module::load(const std::string& path, Where where) {
  const std::map<std::string, Tensor> file = load_safetensors(path, where);
  std::vector<NamedParameter> parameters = named_parameters();
  std::vector<NamedBuffer> buffers = named_buffers();
  check_fits(path, file, expected_entries(parameters, buffers), where);
  for (NamedParameter& named : parameters) {
    named.parameter.assign(file.at(named.name), where);
  }
  for (NamedBuffer& named : buffers) {
    named.buffer.assign(file.at(named.name), where);
  }
}

}  // namespace wick::nn
