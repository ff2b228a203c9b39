#pragma once

// The side of a measurement that gives the turns: a process that answers (harness/turns.h).

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace wick::bench {

/// What to start.
struct Command {
  std::vector<std::string> arguments;              // the program first
  std::map<std::string, std::string> environment;  // added to that of this process
};

/// A running process, its inputs made. Ends it when it goes.
class Contestant {
 public:
  /// Throws std::runtime_error with what the process says when it cannot make its inputs.
  explicit Contestant(const Command& command);
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  ~Contestant();

  /// The answer to one command. Throws std::runtime_error when there is none.
  std::string ask(const std::string& question);
  double ask_number(const std::string& question);

  /// CPU time so far, of all its threads.
  [[nodiscard]] double cpu_seconds() const;

 private:
  void start(const Command& command);
  void stop();
  std::string read_line();

  std::string name_;
  pid_t process_ = -1;
  int questions_ = -1;
  int answers_ = -1;
  std::string unread_;
};

/// CPU time of everything on this machine so far, and of this process.
double machine_cpu_seconds();
double own_cpu_seconds();

}  // namespace wick::bench
