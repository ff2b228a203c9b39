#include "listing.h"

#include <algorithm>

#include "functions.h"
#include <fmt/format.h>

#include "wick/ir/custom_op.h"
#include "wick/passes/extension_points.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/switches.h"

namespace wick::tools {

namespace {

std::string operand_count(int least, int most) {
  if (most < 0) return fmt::format("{} or more", least);
  return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

std::string_view dtypes_of(const ir::OpInfo& info) {
  const auto has = [&](ir::OpTrait trait) { return (info.traits & trait) != 0; };
  if (has(ir::kFloatOnly)) return "floats";
  if (has(ir::kIntegerOnly)) return "integers";
  if (has(ir::kBoolOnly)) return "bool";
  return has(ir::kNoFloat) ? "integers, bool" : "any";
}

bool is_primitive(const ir::OpInfo& info) {
  return (info.traits & ir::kStructure) == 0;
}

int64_t count_primitives() {
  int64_t count = 0;
  for (int i = 0; i < ir::kNumOps; ++i)
    count += is_primitive(ir::op_info(static_cast<ir::OpKind>(i))) ? 1 : 0;
  return count;
}

/// Functions of the name of the primitive that they record.
int64_t count_namesakes() {
  return std::ranges::count_if(functions(), [](const Function& function) {
    const std::optional<ir::OpKind> op = ir::op_from_string(function.name);
    return op && is_primitive(ir::op_info(*op));
  });
}

/// Those that other libraries compute, and those of plug-ins.
std::string custom_ops_table() {
  std::string table = "\nOps by name, of libraries and plug-ins:\n\n";
  table += "| op | operands | result |\n|---|---|---|\n";
  for (const ir::CustomOp* op : ir::custom_ops()) {
    table += fmt::format("| `{}` | {} | {} |\n",
                         op->name,
                         operand_count(op->min_operands, op->max_operands),
                         op->summary);
  }
  return table;
}

}  // namespace

std::string ops_page() {
  std::string page = "# Ops\n\nWritten by `wick-opt --list-ops` from `ir/ops.def`.\n\n";
  page += "| op | operands | dtypes | result |\n|---|---|---|---|\n";
  for (int i = 0; i < ir::kNumOps; ++i) {
    const ir::OpInfo& info = ir::op_info(static_cast<ir::OpKind>(i));
    if (!is_primitive(info)) continue;
    page += fmt::format("| `{}` | {} | {} | {} |\n",
                        info.name,
                        operand_count(info.min_operands, info.max_operands),
                        dtypes_of(info),
                        info.summary);
  }
  constexpr auto kCounts =
      "\n{} primitives; {} functions over them ([functions.md](functions.md)), {} of which bear "
      "the "
      "name of a\nprimitive.\n";
  return page + fmt::format(kCounts, count_primitives(), functions().size(), count_namesakes()) +
         custom_ops_table();
}

std::string functions_page() {
  constexpr auto kTitle =
      "# Functions\n\nWritten by `wick-opt --list-functions` from the public headers: what gives "
      "tensors, overloads counted once.\nOperators and member functions are left out.\n\n"
      "{} functions over {} primitives ([ops.md](ops.md)).\n";
  std::string page = fmt::format(kTitle, functions().size(), count_primitives());
  std::string_view header;
  for (const Function& function : functions()) {
    if (function.header != header) page += fmt::format("\n`wick/{}`\n\n", function.header);
    header = function.header;
    page += fmt::format("- `{}`\n", function.name);
  }
  return page;
}

std::string passes_page() {
  std::string page = "# Passes\n\nWritten by `wick-opt --list-passes` from the registry.\n\n";
  page += "| pass | options | what it does |\n|---|---|---|\n";
  for (const passes::PassInfo* info : passes::PassRegistry::instance().all()) {
    std::string options;
    for (const auto& [option, fallback] : info->options)
      options += fmt::format("{}`{}={}`", options.empty() ? "" : " ", option, fallback);
    page += fmt::format("| `{}` | {} | {} |\n", info->name, options, info->summary);
  }
  page += fmt::format("\nThe default pipeline is\n\n    {}\n\n", passes::default_pipeline());
  page +=
      "A pipeline is a list of passes separated by commas, with options in braces, as in\n"
      "`fuse{max-ops=64}`. `default` stands for the default pipeline, and `@point` for the passes\n"
      "that plug-ins have added there:";
  std::string_view separator = " ";
  for (const std::string_view point : passes::extension_points()) {
    page += fmt::format("{}`{}`", separator, point);
    separator = ", ";
  }
  return page + ".\n";
}

std::string switches_page() {
  std::string page =
      "# Switches\n\n"
      "Written by `wick-opt --list-switches`. Each has one spelling: as a flag of the tools, as "
      "an\n"
      "environment variable of any program that uses Wick, and as a member of `wick::Options`\n"
      "(`--pass-pipeline`, `WICK_PASS_PIPELINE`, `pass_pipeline`). `WICK_FLAGS=\"--flag ...\"` "
      "takes\n"
      "any of the flags; a variable of its own counts only where WICK_FLAGS does not say "
      "otherwise,\n"
      "and a tool's command line goes before both.\n\n"
      "| flag | variable | meaning |\n|---|---|---|\n";
  for (const SwitchInfo& info : switch_table())
    page += fmt::format("| `{}` | `{}` | {} |\n", info.flag, info.variable, info.summary);
  return page;
}

}  // namespace wick::tools
