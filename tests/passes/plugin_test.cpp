#include "wick/passes/plugin.h"

#include <stdexcept>

#include "support/test_file.h"
#include <gtest/gtest.h>

#include "wick/passes/pass_registry.h"

namespace wick::passes {
namespace {

std::string complaint(const std::string& path) {
  try {
    load_plugin(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Plugin, RegistersWhatItBringsOnce) {
  load_plugin(test_file(WICK_TEST_PLUGIN_GOOD));
  load_plugin(test_file(WICK_TEST_PLUGIN_GOOD));

  EXPECT_NE(PassRegistry::instance().find("from-a-plugin"), nullptr);
  ASSERT_EQ(loaded_plugins().size(), 1U);
  EXPECT_EQ(loaded_plugins()[0].name, "good");
  EXPECT_EQ(loaded_plugins()[0].version, "1.2");
}

TEST(Plugin, OfAnotherApiIsRefused) {
  const std::string text = complaint(test_file(WICK_TEST_PLUGIN_OTHER_API));
  const std::string wanted = "was built for plug-in API 999, this Wick has API " +
                             std::to_string(kPluginApiVersion) + ": rebuild it";
  EXPECT_NE(text.find(wanted), std::string::npos) << text;
}

TEST(Plugin, OfAnotherAbiIsRefused) {
  const std::string text = complaint(test_file(WICK_TEST_PLUGIN_OTHER_ABI));
  EXPECT_NE(text.find("rebuild it against the headers of this Wick"), std::string::npos) << text;
}

TEST(Plugin, ThatFailsSaysTheSameWhenItIsTriedAgain) {
  const std::string text = complaint(test_file(WICK_TEST_PLUGIN_FAILING));
  EXPECT_NE(text.find("registered by halves"), std::string::npos) << text;
  EXPECT_EQ(complaint(test_file(WICK_TEST_PLUGIN_FAILING)), text);
  for (const LoadedPlugin& plugin : loaded_plugins())
    EXPECT_NE(plugin.name, "failing");
}

TEST(Plugin, ThatIsNoneIsRefused) {
  EXPECT_NE(complaint(test_file(WICK_TEST_PLUGIN_NONE)).find("it has no wick_plugin_info"),
            std::string::npos);
  EXPECT_NE(complaint("/nonexistent.so").find("plug-in /nonexistent.so: "), std::string::npos);
}

}  // namespace
}  // namespace wick::passes
