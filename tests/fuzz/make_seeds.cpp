// Writes what the fuzzers of graph IR start from: the graphs of .wick files, a sample of each op
// and random graphs, one a file, and a dictionary of the words of the language.
//
//     make_seeds FOLDER FILE.wick...

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "ir/op_samples.h"
#include "support/random_graph.h"

#include "wick/ir/attribute_schema.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// With its folder: files of several have the same name.
std::string name_of(const std::filesystem::path& source) {
  return source.parent_path().filename().string() + "-" + source.stem().string();
}

void write_graphs_of(const std::filesystem::path& source, const std::filesystem::path& folder) {
  try {
    for (const auto& graph : ir::parse_graphs(contents(source))) {
      write(folder / (name_of(source) + "_" + graph->name()), ir::to_string(*graph));
    }
  } catch (const ir::ParseError&) {  // a test of the parser's errors
    write(folder / name_of(source), contents(source));
  }
}

void write_dictionary(const std::filesystem::path& path) {
  std::set<std::string> words = {"graph @",
                                 "return ",
                                 "yield ",
                                 "fusion<row> @k0(",
                                 "^(",
                                 "loc(",
                                 "dense<",
                                 ": splat ",
                                 "texts[",
                                 "true",
                                 "false",
                                 "nan(0x",
                                 "inf",
                                 "-inf",
                                 "->",
                                 "] : ",
                                 "{donate}",
                                 "{scalar}",
                                 "0x7fc00001",
                                 "4294967296",
                                 "1e308",
                                 "9223372036854775807",
                                 "-9223372036854775808"};
  for (int i = 0; i < ir::kNumOps; ++i) {
    const auto op = static_cast<ir::OpKind>(i);
    words.insert(std::string(ir::to_string(op)) + " %");
    for (const ir::AttributeSpec& spec : ir::attribute_specs(op))
      words.insert(std::string(spec.name) + " = ");
  }
  for (int i = 0; i < kNumDTypes; ++i)
    words.insert(std::string(to_string(static_cast<DType>(i))) + "[");
  std::string text;
  for (const std::string& word : words)
    text += '"' + word + "\"\n";
  write(path, text);
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  using namespace wick;
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER FILE.wick...\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::filesystem::path graphs = folder / "graphs";
  std::filesystem::create_directories(graphs);
  for (int i = 2; i < argc; ++i)
    write_graphs_of(argv[i], graphs);
  for (int i = 0; i < ir::kNumOps; ++i) {
    const auto op = static_cast<ir::OpKind>(i);
    write(graphs / ("op_" + std::string(ir::to_string(op))), ir::sample_of(op));
  }
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto graph = testing_support::random_graph(seed, {.num_ops = 6, .max_elements = 32});
    write(graphs / graph->name(), ir::to_string(*graph));
  }
  write_dictionary(folder / "graph_ir.dict");
}
