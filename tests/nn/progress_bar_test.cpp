#include "wick/nn/progress_bar.h"

#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace wick::nn {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    text += static_cast<char>(c);
  }
  return text;
}

TEST(ProgressBar, WritesPlainLinesWhereThereIsNoTerminal) {
  const File file(std::tmpfile());
  {
    ProgressBar bar({.label = "epoch 1",
                     .total = 10,
                     .stream = file.get(),
                     .line_interval = std::chrono::milliseconds(0)});
    bar.advance(4);
    bar.advance(6, "loss 0.5");
  }

  // The time of the first line varies.
  const std::string text = contents_of(file.get());
  EXPECT_TRUE(text.starts_with("epoch 1 4/10 ")) << text;
  EXPECT_TRUE(text.ends_with(" s left\nepoch 1 10/10 0.0 s left loss 0.5\n")) << text;
}

TEST(ProgressBar, IsSilentInShortLoops) {
  const File file(std::tmpfile());
  {
    ProgressBar bar({.label = "epoch 1", .total = 1000, .stream = file.get()});
    for (int i = 0; i < 1000; ++i) {
      bar.advance();
    }
  }

  EXPECT_EQ(contents_of(file.get()), "");
}

}  // namespace
}  // namespace wick::nn
