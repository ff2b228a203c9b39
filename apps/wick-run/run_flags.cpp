#include "run_flags.h"

#include "list_devices.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wick::run {

namespace {

constexpr auto kExamples = R"(Examples:
  wick-run step.wick
      compile, run on random inputs and print the results
  wick-run step.wick x.npy w.npy --input lr=0.1 --output results
      inputs from files, in order or by name; results to files that numpy.load reads
  wick-run step.wick --reference=interpreter
      does the compiler change what the program computes? Exit code 1 if so.
  wick-run step.wick --reference=interpreter --opt-bisect-limit=5
      the same with the first 5 passes only: bisection finds the one that breaks it
  wick-run step.wick --bench=2
      which kernels and library calls take the time)";

void declare_inputs(CLI::App& app, InputFlags& inputs) {
  app.add_option("inputs-in-order", inputs.files, ".npy files for the parameters, in order");
  app.add_option("--input", inputs.named, "NAME=FILE.npy, or NAME=NUMBER for a scalar")
      ->allow_extra_args(false);
  app.add_option("--inputs", inputs.rest, "for all other parameters: random:SEED")
      ->capture_default_str();
}

}  // namespace

void declare_flags(CLI::App& app, RunFlags& flags) {
  app.footer(kExamples);
  app.add_option("file", flags.file, "file of graph IR; - is standard input")->required();
  declare_inputs(app, flags.inputs);
  app.add_option("--graph", flags.graph, "which graph of the file");
  app.add_option("--reference",
                 flags.reference,
                 "run on this backend too, unoptimized where it is the interpreter, and compare");
  app.add_flag("--no-passes", flags.no_passes, "run the graph as it is written");
  app.add_option_function<double>(
         "--bench",
         [&flags](double seconds) { flags.bench = seconds; },
         "time each step for this many seconds; 1 when no number is given")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeat", flags.repeat, "run this many times")->check(CLI::PositiveNumber);
  app.add_flag("--print-plan", flags.print_plan, "print steps, buffers and live ranges");
  app.add_flag("--print-results",
               flags.print_results,
               "print each result in short; the default when nothing else is asked for");
  app.add_option("--output", flags.output, "folder for the results, an .npy file each");
  app.add_flag_callback(
         "--list-devices",
         [] {
           fmt::print("{}", devices_text());
           throw CLI::Success();  // nothing else is asked for, not even a file
         },
         "print what there is to run on, and exit")
      ->trigger_on_parse();
}

}  // namespace wick::run
