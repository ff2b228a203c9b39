#include "training.h"

#include <chrono>

#include "wick/autograd/autograd.h"
#include "wick/nn/losses/losses.h"
#include "wick/nn/meters.h"
#include "wick/nn/progress_bar.h"

namespace mnist {

namespace {

namespace nn = wick::nn;
using wick::Tensor;
using wick::data::Sample;

constexpr int kLoaderThreads = 1;
constexpr int kLoaderDepth = 4;

}  // namespace

TrainingResult train_epoch(nn::Module& network,
                           wick::optim::Optimizer& optimizer,
                           const wick::data::DataView& batches,
                           const std::string& label,
                           StepReport& report) {
  network.train();
  nn::AverageMeter losses;
  nn::AccuracyMeter accuracy;
  nn::ProgressBar bar({.label = label, .total = batches.size()});
  const auto start = std::chrono::steady_clock::now();
  for (const Sample& batch : batches.prefetch(kLoaderThreads, kLoaderDepth)) {
    const Tensor images = batch[0].to_tensor();
    const Tensor labels = batch[1].to_tensor();
    optimizer.zero_grad();
    const Tensor log_probs = network(images);
    const Tensor loss = nn::nll_loss(log_probs, labels);
    loss.backward();
    accuracy.add(log_probs, labels);
    optimizer.step();
    losses.add(loss, static_cast<double>(images.size(0)));
    report.note_step();
    bar.advance();
  }
  bar.finish();
  TrainingResult result = {.loss = losses.value(), .accuracy = accuracy.value()};
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  result.images_per_second = static_cast<double>(accuracy.num_rows()) / passed.count();
  return result;
}

TestResult test(nn::Module& network, const wick::data::DataView& batches) {
  network.eval();
  const wick::NoGradGuard no_grad;
  nn::AccuracyMeter accuracy;
  for (const Sample& batch : batches.prefetch(kLoaderThreads, kLoaderDepth)) {
    accuracy.add(network(batch[0].to_tensor()), batch[1].to_tensor());
  }
  return {.correct = accuracy.num_correct(), .total = accuracy.num_rows()};
}

}  // namespace mnist
