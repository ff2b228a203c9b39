#pragma once

// A plan made ready to run on a GPU: kernels loaded, algorithms chosen.

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "wick/codegen/cuda/program_text.h"
#include "wick/runtime/cuda/device_call.h"
#include "wick/runtime/cuda/device_libraries.h"
#include "wick/runtime/cuda/module.h"
#include "wick/runtime/plan.h"

namespace wick::runtime::cuda {

/// The kernel of each launch of a plan, in the form that the launch takes.
std::vector<codegen::cuda::ProgramKernel> program_kernels(const Plan& plan);

/// A launch of a generated kernel; nothing where `shape` has no blocks.
struct ReadyKernel {
  const KernelStep* step = nullptr;
  DeviceKernel kernel;
  LaunchShape shape;
  size_t workspace_bytes = 0;
  bool takes_workspace = false;  // as an argument, be it null
};

struct ReadyCall {
  const DeviceCall* call = nullptr;
};

/// What the host computes: one of the two.
struct ReadyHostStep {
  const HostCall* call = nullptr;
  const InterpretStep* interpreted = nullptr;
};

struct ReadyCopy {};

using ReadyStep = std::variant<ReadyKernel, ReadyCall, ReadyHostStep, ReadyCopy>;

/// Points into the plan, which outlives it.
struct DevicePlan {
  std::vector<ReadyStep> steps;  // one a step of the plan
  std::vector<Ref<Buffer>> constants;
  size_t workspace_bytes = 0;   // the most that a step needs
  bool waits_for_host = false;  // some step is the host's

  // What stands for calls that the device turned out not to support.
  std::vector<std::unique_ptr<HostCall>> host_calls;
  std::vector<std::unique_ptr<InterpretStep>> interpreted;
};

/// Throws Error naming op and line where the device cannot do a step for other reasons than that it
/// has no such operation.
DevicePlan prepare(Plan& plan, Gpu& gpu);

}  // namespace wick::runtime::cuda
