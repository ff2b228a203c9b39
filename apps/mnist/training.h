#pragma once

// One pass over the data, training or testing.

#include <string>

#include "step_report.h"

#include "wick/nn/data/dataset.h"
#include "wick/nn/module.h"
#include "wick/nn/optim/optimizer.h"

namespace mnist {

struct TrainingResult {
  double loss = 0;
  double accuracy = 0;
  double images_per_second = 0;
};

/// Trains on every batch once. A step is one program: its loss and count of correct digits are
/// computed with it and read later.
TrainingResult train_epoch(wick::nn::Module& network,
                           wick::optim::Optimizer& optimizer,
                           const wick::data::DataView& batches,
                           const std::string& label,
                           StepReport& report);

struct TestResult {
  int64_t correct = 0;
  int64_t total = 0;

  [[nodiscard]] double accuracy() const {
    return static_cast<double>(correct) / static_cast<double>(total);
  }
};

/// Leaves the network in evaluation mode.
TestResult test(wick::nn::Module& network, const wick::data::DataView& batches);

}  // namespace mnist
