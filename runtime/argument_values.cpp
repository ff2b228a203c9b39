#include "wick/runtime/argument_values.h"

#include "wick/ir/check.h"

namespace wick::runtime {

std::vector<Literal> argument_values(const ir::Graph& graph, std::span<const Argument> arguments) {
  check(arguments.size() == graph.parameters().size(), "one argument a parameter");
  std::vector<Literal> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& type = graph.parameters()[i]->type();
    const Argument& argument = arguments[i];
    const void* data = argument.buffer ? argument.buffer->host_data() : argument.data;
    values.emplace_back(type, std::span(static_cast<const std::byte*>(data), type.num_bytes()));
  }
  return values;
}

}  // namespace wick::runtime
