#include "harness/turns.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace wick::bench {

namespace {

/// A field of /proc/self/status in MiB. VmHWM belongs to the address space: unlike ru_maxrss it
/// takes nothing over from the process that started this one.
double status_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, field.size(), field) == 0) {
      return std::atof(line.c_str() + field.size() + 1) / 1024;
    }
  }
  return 0;
}

double now_ms() {
  static const bool of_cpu = [] {
    const char* clock = std::getenv("WICK_BENCH_CLOCK");
    return clock != nullptr && std::string(clock) == "cpu";
  }();
  timespec now{};
  clock_gettime(of_cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double median_over(double span_ms, const std::function<double()>& measure) {
  std::vector<double> samples;
  for (double spent = 0; samples.empty() || spent < span_ms; spent += samples.back())
    samples.push_back(measure());
  return median(std::move(samples));
}

/// Talks through a copy of standard output, which nothing else in the process writes to.
class Server {
 public:
  explicit Server(Turns turns)
      : turns_(std::move(turns)),
        resident_at_start_(status_mib("VmRSS")) {}

  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    double span_ms = 0;
    words >> command >> span_ms;
    if (command == "step") {
      return std::to_string(median_over(span_ms, [this] { return time_ms(turns_.step); }));
    }
    if (command == "floor" && turns_.floor) {
      return std::to_string(median_over(span_ms, turns_.floor));
    }
    if (command == "peak") return std::to_string(status_mib("VmHWM") - resident_at_start_);
    if (command == "facts") return turns_.facts ? turns_.facts() : "{}";
    throw std::invalid_argument("cannot answer '" + line + "'");
  }

 private:
  Turns turns_;
  double resident_at_start_;
};

void say(int descriptor, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  const char* rest = line.data();
  for (size_t left = line.size(); left > 0;) {
    const ssize_t written = write(descriptor, rest, left);
    if (written <= 0) std::_Exit(1);  // nobody listens any more
    rest += written;
    left -= static_cast<size_t>(written);
  }
}

}  // namespace

int serve_turns(const std::function<Turns()>& make) {
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  try {
    Server server(make());
    say(answers, "ready");
    for (std::string line; std::getline(std::cin, line);)
      say(answers, server.answer(line));
  } catch (const std::exception& error) {
    say(answers, std::string("error: ") + error.what());
    return 1;
  }
  return 0;
}

double time_ms(const std::function<void()>& work) {
  const double start = now_ms();
  work();
  return now_ms() - start;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace wick::bench
