#include "run_graph.h"

#include <cstring>

namespace wick::runtime {
namespace {

template <typename T>
void fill(std::span<T> values, std::mt19937_64& random) {
  for (T& value : values) {
    if constexpr (std::is_same_v<T, bool>) {
      value = (random() & 1U) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      const auto spread = static_cast<int64_t>(random() % 19);
      value = static_cast<T>(std::is_unsigned_v<T> ? spread : spread - 9);
    } else {
      std::uniform_real_distribution<float> uniform(-1, 1);
      value = static_cast<T>(uniform(random));
    }
  }
}

}  // namespace

Literal random_literal(const Type& type, std::mt19937_64& random) {
  Literal value(type);
  visit_dtype(type.dtype, [&]<typename T>() { fill(value.mutable_values<T>(), random); });
  return value;
}

Argument argument_of(const Literal& value) {
  Argument argument;
  argument.buffer = Buffer::allocate(value.bytes().size(), {.purpose = "test", .where = {}});
  if (value.numel() > 0) {
    std::memcpy(argument.buffer->data(), value.data(), value.bytes().size());
  }
  argument.data = argument.buffer->data();
  return argument;
}

std::vector<Argument> arguments_of(std::span<const Literal> values) {
  std::vector<Argument> arguments;
  for (const Literal& value : values)
    arguments.push_back(argument_of(value));
  return arguments;
}

Literal literal_of(const Type& type, const Buffer& buffer) {
  return {type, std::span(static_cast<const std::byte*>(buffer.host_data()), type.num_bytes())};
}

std::vector<Literal> run_on(std::string_view backend,
                            const ir::Graph& graph,
                            std::span<const Literal> parameters) {
  std::vector<Type> types;
  for (const ir::Value result : graph.results())
    types.push_back(result.type());
  const std::unique_ptr<Executable> executable = find_backend(backend).compile(graph.clone());
  const std::vector<Ref<Buffer>> buffers = executable->run(arguments_of(parameters));
  std::vector<Literal> results;
  for (size_t k = 0; k < buffers.size(); ++k)
    results.push_back(literal_of(types[k], *buffers[k]));
  return results;
}

std::vector<Literal> random_parameters(const ir::Graph& graph, std::mt19937_64& random) {
  std::vector<Literal> parameters;
  for (const ir::Node* parameter : graph.parameters()) {
    parameters.push_back(random_literal(parameter->type(), random));
  }
  return parameters;
}

}  // namespace wick::runtime
