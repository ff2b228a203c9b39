#include "child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wick::reduce {

namespace {

constexpr size_t kMaxOutput = size_t{1} << 20U;  // more of it is thrown away

[[noreturn]] void run_body(const std::function<int()>& body, int output, pid_t parent) {
  setpgid(0, 0);                     // so that what it starts can be ended with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it at its deadline
  if (getppid() != parent) _exit(1);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int code = 1;
  try {
    code = body();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  std::fflush(nullptr);
  _exit(code);  // without the parent's destructors
}

}  // namespace

std::string describe(const ChildResult& result) {
  std::string text = result.output;
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (result.timed_out) return text + "timed out";
  if (result.signal != 0) {
    return text + fmt::format("signal {} ({})", result.signal, strsignal(result.signal));
  }
  return text + fmt::format("exit code {}", result.exit_code);
}

Child::Child(const std::function<int()>& body, std::chrono::milliseconds timeout)
    : deadline_(std::chrono::steady_clock::now() + timeout) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);  // or the child prints it again
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) run_body(body, ends[1], parent);
  close(ends[1]);
  output_ = ends[0];
  if (pid_ < 0) {
    close(output_);
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  setpgid(pid_, pid_);  // here too: whoever comes first
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)),
      deadline_(other.deadline_),
      result_(std::move(other.result_)) {}

Child::~Child() {
  if (pid_ > 0) {
    kill_all();
    waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
}

void Child::kill_all() const {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
}

void Child::take_output() {
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t count = read(output_, block.data(), block.size());
    if (count <= 0) return;
    const size_t room = kMaxOutput - std::min(kMaxOutput, result_.output.size());
    result_.output.append(block.data(), std::min(static_cast<size_t>(count), room));
  }
}

void Child::finish(int status) {
  kill(-pid_, SIGKILL);  // what it left running
  pid_ = -1;
  take_output();
  close(output_);
  output_ = -1;
  result_.signal = WIFSIGNALED(status) && !result_.timed_out ? WTERMSIG(status) : 0;
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Child::poll() {
  if (has_ended()) return;
  take_output();
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) return finish(status);
  if (std::chrono::steady_clock::now() < deadline_) return;
  result_.timed_out = true;
  kill_all();
  waitpid(pid_, &status, 0);
  finish(status);
}

int exec_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  fmt::print(stderr, "cannot run {}: {}\n", arguments[0], std::strerror(errno));
  return 127;
}

}  // namespace wick::reduce
