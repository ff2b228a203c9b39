#include "wick/passes/fusion_cost_model.h"

#include <map>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "wick/passes/memory_traffic_model.h"
#include "wick/passes/pipeline_parser.h"

namespace wick::passes {

namespace {

class CostModelRegistry {
 public:
  CostModelRegistry() { add(make_memory_traffic_model()); }

  void add(std::unique_ptr<FusionCostModel> model) {
    const std::lock_guard lock(mutex_);
    std::string name(model->name());
    if (models_.contains(name)) {
      throw std::invalid_argument(
          fmt::format("fusion cost model '{}' is registered already", name));
    }
    models_.emplace(std::move(name), std::move(model));
  }

  const FusionCostModel& find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(name);
    if (found != models_.end()) return *found->second;
    std::vector<std::string_view> names;
    for (const auto& [known, model] : models_)
      names.push_back(known);
    throw std::invalid_argument(
        fmt::format("no fusion cost model '{}'{}", name, did_you_mean(name, names)));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<FusionCostModel>, std::less<>> models_;
};

CostModelRegistry& registry() {
  static CostModelRegistry instance;
  return instance;
}

}  // namespace

void register_fusion_cost_model(std::unique_ptr<FusionCostModel> model) {
  registry().add(std::move(model));
}

const FusionCostModel& find_fusion_cost_model(std::string_view name) {
  return registry().find(name);
}

}  // namespace wick::passes
