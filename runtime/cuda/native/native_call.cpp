// Ops by hand-written kernels, as calls of a plan.

#include "wick/runtime/cuda/device_call.h"
#include "wick/runtime/cuda/native/native_program.h"

namespace wick::runtime::cuda {
namespace {

class NativeDeviceCall final : public DeviceCall {
 public:
  explicit NativeDeviceCall(NativeProgram program) : program_(std::move(program)) {}

  [[nodiscard]] std::string_view implementation() const override { return program_.name; }

  void prepare(Gpu& gpu) override {
    kernels_.clear();
    for (const NativeLaunch& launch : program_.launches) {
      kernels_.push_back(
          gpu.programs().kernel(program_.text, launch.symbol, launch.shape.shared_bytes));
    }
  }

  [[nodiscard]] size_t workspace_bytes() const override { return program_.workspace_bytes; }

  void enqueue(const Stream& stream,
               const void* const* operands,
               void* result,
               void* workspace) const override {
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const NativeLaunch& step = program_.launches[i];
      const LaunchArguments arguments(step, operands, result, workspace);
      launch(stream, kernels_[i], step.shape, arguments.addresses());
    }
  }

 private:
  NativeProgram program_;
  std::vector<DeviceKernel> kernels_;  // of each launch
};

}  // namespace

std::unique_ptr<DeviceCall> make_native_device_call(const LibraryOp& op) {
  std::optional<NativeProgram> program = make_native_program(op);
  if (!program) return nullptr;
  return std::make_unique<NativeDeviceCall>(*std::move(program));
}

}  // namespace wick::runtime::cuda
