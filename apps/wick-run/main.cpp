// wick-run: compiles graph IR, runs it, compares and times it.

#include "run_main.h"

int main(int argc, char** argv) {
  return wick::run::run_main({argv, argv + argc});
}
