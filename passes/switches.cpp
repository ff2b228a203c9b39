#include "wick/passes/switches.h"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/passes/pipeline_parser.h"

namespace wick {

namespace {

constexpr auto kGroup = "Switches of Wick (also WICK_FLAGS and WICK_*)";

std::string variable_of(std::string_view flag) {
  std::string name = "WICK_";
  for (const char c : flag.substr(2))
    name.push_back(c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return name;
}

CLI::Option* with_variable(CLI::Option* option) {
  option->allow_extra_args(false);  // a list is one word, so that what follows it is not of it
  return option->group(kGroup)->envname(variable_of(option->get_name()));
}

template <class T>
CLI::Option* add(CLI::App& app, std::string flag, T& target, std::string summary) {
  return with_variable(app.add_option(std::move(flag), target, std::move(summary)));
}

CLI::Option* add(CLI::App& app, std::string flag, bool& target, std::string summary) {
  return with_variable(app.add_flag(std::move(flag), target, std::move(summary)));
}

/// A flag that may bring a value of its own: `--remarks` or `--remarks=fuse`.
CLI::Option* add_with_default(CLI::App& app,
                              const std::string& flag,
                              const std::string& fallback,
                              std::function<void(const std::string&)> set,
                              std::string summary) {
  const auto parse = [fallback, set = std::move(set)](const CLI::results_t& results) {
    const bool bare = results.empty() || results.back().empty() || results.back() == "true";
    set(bare ? fallback : results.back());
    return true;
  };
  // As add_flag_callback does, which takes no value.
  CLI::Option* option = app.add_option(flag, parse, std::move(summary))->expected(0, 1);
  option->type_size(0);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return with_variable(option);
}

void set_regex(const char* flag, std::string& target, const std::string& text) {
  try {
    const std::regex check(text);
  } catch (const std::regex_error& error) {
    throw CLI::ValidationError(
        flag, fmt::format("'{}' is no regular expression: {}", text, error.what()));
  }
  target = text;
}

void set_change_printing(Options& options, const std::string& text) {
  if (text != "full" && text != "diff") {
    throw CLI::ValidationError("--print-ir-after-change",
                               fmt::format("expected full or diff, got '{}'", text));
  }
  options.print_ir_after_change =
      text == "diff" ? Options::ChangePrinting::diff : Options::ChangePrinting::full;
}

void set_log(Options& options, const std::vector<std::string>& names) {
  Options::Log log;
  const std::vector<std::pair<std::string_view, bool*>> parts = {{"sync", &log.sync},
                                                                 {"recompile", &log.recompile},
                                                                 {"fusion", &log.fusion},
                                                                 {"output_code", &log.output_code}};
  for (const std::string& name : names) {
    const auto part = std::ranges::find(parts, name, [](const auto& entry) { return entry.first; });
    if (part == parts.end()) {
      throw CLI::ValidationError(
          "--log", fmt::format("'{}' is none of sync, recompile, fusion, output_code", name));
    }
    *part->second = true;
  }
  options.log = log;
}

void declare_running(CLI::App& app, Options& options) {
  add(app,
      "--backend,--target",
      options.backend,
      "what compiles and runs: llvm, interpreter, cuda, cuda:N (GPU N), cuda:sm_90 (compiles for "
      "such a GPU without one), or a plug-in's");
  add(app, "--num-threads", options.num_threads, "threads of kernels and libraries; 0: all cores")
      ->check(CLI::Range(0, 4096));
  add(app, "--max-pending", options.max_pending, "longest chain of ops that stays unmaterialized")
      ->check(CLI::Range(1, 1 << 24));
  add(app,
      "--cache-dir",
      options.cache_dir,
      "folder of compiled kernels; off: none; default: ~/.cache/wick");
  add(app,
      "--direct-convolutions",
      options.direct_convolutions,
      "no Winograd convolutions, which are faster and round up to ten times coarser");
  add(app,
      "--tf32",
      options.tf32,
      "GPUs may round f32 to 10 bits of mantissa in products and convolutions, which is faster");
  add(app,
      "--plugins,--load-pass-plugin",
      options.plugins,
      "shared libraries to load, separated by ':'")
      ->delimiter(':');
  add(app, "--validate", options.validate, "repeat every run with the interpreter and compare");
  add(app,
      "--detect-anomaly",
      options.detect_anomaly,
      "fail where a result holds NaN, naming the op and line that it comes from");
}

void declare_observing(CLI::App& app, Options& options) {
  add(app,
      "--dump-to",
      options.dump_to,
      "folder for dumps: IR after each pass, kernels, plan and report of every compile");
  add(app, "--dump-max", options.dump_max, "most compiles that a process writes to --dump-to")
      ->check(CLI::NonNegativeNumber);
  add(app,
      "--profile",
      options.profile,
      "file for a Chrome trace of recording, compiling and running");
  with_variable(app.add_option_function<std::vector<std::string>>(
                    "--log",
                    [&options](const std::vector<std::string>& names) { set_log(options, names); },
                    "what to tell on standard error: sync, recompile, fusion, output_code"))
      ->delimiter(',');
}

void declare_passes(CLI::App& app, Options& options) {
  add(app,
      "--pass-pipeline",
      options.pass_pipeline,
      "passes to run, such as canonicalize,cse,fuse{max-ops=64}");
  add(app, "--disable-passes", options.disable_passes, "passes to leave out, separated by ','")
      ->delimiter(',');
  add(app,
      "--opt-bisect-limit",
      options.opt_bisect_limit,
      "run only the first N passes of the process and say which ran; -1: all");
  add(app, "--verify-each", options.verify_each, "verify the graph after every pass");
  add(app, "--timing", options.timing, "print the time of every pass");
  add(app, "--pass-statistics", options.pass_statistics, "print what passes counted");
  add_with_default(
      app,
      "--remarks",
      ".*",
      [&options](const std::string& text) { set_regex("--remarks", options.remarks, text); },
      "print what passes did, of those whose name matches");
  add_with_default(
      app,
      "--remarks-missed",
      ".*",
      [&options](const std::string& text) {
        set_regex("--remarks-missed", options.remarks_missed, text);
      },
      "print what passes could not do, and why");
  add(app,
      "--reproducer-dir",
      options.reproducer_dir,
      "folder for the reproducer of a pass that fails; default: that of the dumps, or /tmp");
}

void declare_printing(CLI::App& app, Options& options) {
  add(app, "--print-ir-before", options.print_ir_before, "print the graph before these passes")
      ->delimiter(',');
  add(app, "--print-ir-after", options.print_ir_after, "print the graph after these passes")
      ->delimiter(',');
  add(app,
      "--print-ir-before-all",
      options.print_ir_before_all,
      "print the graph before every pass");
  add(app, "--print-ir-after-all", options.print_ir_after_all, "print the graph after every pass");
  add_with_default(
      app,
      "--print-ir-after-change",
      "full",
      [&options](const std::string& text) { set_change_printing(options, text); },
      "print the graph after passes that changed it; =diff: what changed");
  add(app, "--print-locations", options.print_locations, "print loc(...) after every node");
}

std::vector<const CLI::Option*> switches_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_group() == kGroup; });
}

[[noreturn]] void fail_unknown(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const CLI::Option* option : switches_of(app))
    names.push_back(option->get_name());
  const std::string name = given.substr(0, given.find('='));
  throw std::invalid_argument(
      fmt::format("WICK_FLAGS: unknown flag '{}'{}",
                  given,
                  passes::did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace

void declare_switches(CLI::App& app, Options& options) {
  declare_running(app, options);
  declare_observing(app, options);
  declare_passes(app, options);
  declare_printing(app, options);
}

std::vector<SwitchInfo> switch_table() {
  CLI::App app;
  Options options;
  declare_switches(app, options);
  std::vector<SwitchInfo> table;
  for (const CLI::Option* option : switches_of(app))
    table.push_back({option->get_name(), option->get_envname(), option->get_description()});
  return table;
}

void parse_switches(const std::string& flags, Options& options) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  declare_switches(app, options);
  try {
    app.parse(flags);
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(fmt::format("WICK_FLAGS and WICK_*: {}", error.what()));
  }
  if (!app.remaining().empty()) fail_unknown(app, app.remaining().front());
}

}  // namespace wick
