#include "program.h"

#include <cstring>

#include "wick/runtime/dump.h"

namespace wick::run {

namespace {

runtime::Argument argument_of(const Literal& value) {
  const size_t bytes = value.bytes().size();
  runtime::Argument argument;
  argument.buffer = runtime::Buffer::allocate(bytes, {.purpose = "parameter", .where = {}});
  if (bytes > 0) std::memcpy(argument.buffer->data(), value.data(), bytes);
  argument.data = argument.buffer->data();
  return argument;
}

}  // namespace

Program::Program(const ir::Graph& graph, std::string_view backend) {
  for (const ir::Value& result : graph.results())
    result_types_.push_back(result.type());
  executable_ = runtime::compile_and_show(
      graph.clone(), std::string(backend), [](runtime::CompileRecord& record) {
        record.trigger.reason = "wick-run";
      });
}

std::vector<runtime::Argument> Program::arguments(std::span<const Literal> parameters) {
  std::vector<runtime::Argument> arguments;
  for (const Literal& value : parameters)
    arguments.push_back(argument_of(value));
  return arguments;
}

std::vector<Literal> Program::run(std::span<const Literal> parameters) {
  const std::vector<Ref<runtime::Buffer>> buffers = executable_->run(arguments(parameters));
  std::vector<Literal> results;
  for (size_t k = 0; k < buffers.size(); ++k) {
    const auto* bytes = static_cast<const std::byte*>(buffers[k]->host_data());
    results.emplace_back(result_types_[k], std::span(bytes, result_types_[k].num_bytes()));
  }
  return results;
}

}  // namespace wick::run
