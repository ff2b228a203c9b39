// Pipeline text: stages and passes, or an error that shows the place.

#include <stdexcept>
#include <string>
#include <string_view>

#include "expect.h"

#include "wick/passes/pass_manager.h"
#include "wick/passes/pipeline_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wick;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('\0') != std::string_view::npos) return 0;  // ends the text of an exception
  const passes::PassRegistry& registry = passes::PassRegistry::instance();
  try {
    const std::string stages = to_string(passes::parse_pipeline(text, registry));
    fuzz::expect(to_string(passes::parse_pipeline(stages, registry)) == stages,
                 "stages parse back: " + stages);
    (void)passes::PassManager::parse(text);
  } catch (const std::invalid_argument& error) {
    fuzz::expect(std::string_view(error.what()).ends_with('^'), error.what());
  }
  return 0;
}
