#include "support/graph_file.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "support/tool.h"
#include <fmt/format.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::tools {

std::unique_ptr<ir::Graph> read_graph(const std::string& path, const std::string& name) {
  std::vector<std::unique_ptr<ir::Graph>> graphs = ir::parse_graphs(read_input(path), path);
  std::string names;
  for (std::unique_ptr<ir::Graph>& graph : graphs) {
    if (name.empty() ? graphs.size() == 1 : graph->name() == name) return std::move(graph);
    names += fmt::format("{}@{}", names.empty() ? "" : ", ", graph->name());
  }
  if (graphs.empty()) throw std::runtime_error(fmt::format("no graph in {}", path));
  if (name.empty()) {
    throw std::runtime_error(
        fmt::format("{} graphs in {}, choose one with --graph: {}", graphs.size(), path, names));
  }
  throw std::runtime_error(fmt::format("no graph @{} in {}; there are: {}", name, path, names));
}

void write_graph(const std::string& path, const ir::Graph& graph) {
  const std::string fresh = path + ".new";
  std::string text = to_string(graph, {.locations = true});
  if (text.empty() || text.back() != '\n') text.push_back('\n');
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) {
    throw std::runtime_error(fmt::format("cannot write {}", path));
  }
}

}  // namespace wick::tools
