#include "harness/contestant.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wick::bench {

namespace {

double clock_ticks(double count) {
  return count / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// In the new process: becomes the program, or dies.
[[noreturn]] void become(const Command& command) {
  for (const auto& [name, value] : command.environment)
    setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execv does not write to them
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Contestant::Contestant(const Command& command) : name_(command.arguments.front()) {
  start(command);
  try {
    const std::string line = read_line();
    if (line != "ready") throw std::runtime_error(line);
  } catch (...) {
    stop();
    throw;
  }
}

Contestant::~Contestant() {
  stop();
}

void Contestant::start(const Command& command) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a process that died fails instead
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  // Closed in later contestants, or an earlier one would not see the end of its questions.
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  process_ = fork();
  if (process_ < 0) {
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (process_ == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    become(command);
  }
  close(to[0]);
  close(from[1]);
  questions_ = to[1];
  answers_ = from[0];
}

/// A process without questions ends.
void Contestant::stop() {
  close(questions_);
  close(answers_);
  waitpid(process_, nullptr, 0);
}

std::string Contestant::read_line() {
  while (true) {
    const size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      const std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> piece{};
    const ssize_t count = read(answers_, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::runtime_error(fmt::format("{} ended without an answer", name_));
    unread_.append(piece.data(), static_cast<size_t>(count));
  }
}

std::string Contestant::ask(const std::string& question) {
  const std::string line = question + '\n';
  if (write(questions_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error(fmt::format("{} does not listen", name_));
  }
  std::string answer = read_line();
  if (answer.starts_with("error: ")) throw std::runtime_error(answer.substr(7));
  return answer;
}

double Contestant::ask_number(const std::string& question) {
  return std::stod(ask(question));
}

double Contestant::cpu_seconds() const {
  std::ifstream file(fmt::format("/proc/{}/stat", process_));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // Fields are counted behind the name, which may hold blanks.
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string skipped;
  for (int field = 3; field < 14; ++field)
    fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return clock_ticks(user + system);
}

double machine_cpu_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  // user nice system idle iowait irq softirq steal
  std::array<double, 8> spent{};
  file >> name;
  for (double& each : spent)
    file >> each;
  double busy = 0;
  for (size_t i = 0; i < spent.size(); ++i)
    busy += i == 3 || i == 4 ? 0 : spent[i];
  return clock_ticks(busy);
}

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace wick::bench
