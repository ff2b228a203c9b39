#include "runtime_cuda/fake_cudnn.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace wick::runtime::cuda {
namespace {

using Descriptor = FakeCudnn::Descriptor;
using Index = std::vector<int64_t>;

FakeCudnn* current = nullptr;

struct Tensor {
  Index extents;
  Index strides;
  float* data = nullptr;

  [[nodiscard]] float& at(const Index& index) const {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += index[axis] * strides[axis];
    return data[offset];
  }
};

/// Calls `body` for each index within the extents.
void for_each_index(const Index& extents, const std::function<void(const Index&)>& body) {
  Index index(extents.size(), 0);
  int64_t count = 1;
  for (const int64_t extent : extents)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    body(index);
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
  }
}

/// The names of one operation's attributes.
struct Names {
  int image;
  int weight;
  int output;
  int window;
};

Names names_of(cudnnBackendDescriptorType_t operation) {
  switch (operation) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC};
    default:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC};
  }
}

/// A convolution of either direction: y[n,o,p] sums x[n,c,q] * w[o,c,k] where q is seen from p
/// through k. Whichever of the three is the result is the sum over what the others have.
void convolve(const Descriptor& operation, const std::map<int64_t, float*>& addresses) {
  const Names names = names_of(operation.type);
  const auto tensor = [&](int name) -> Tensor {
    const Descriptor& described = operation.parts.at(name)[0];
    return {described.values.at(CUDNN_ATTR_TENSOR_DIMENSIONS),
            described.values.at(CUDNN_ATTR_TENSOR_STRIDES),
            addresses.at(described.values.at(CUDNN_ATTR_TENSOR_UNIQUE_ID)[0])};
  };
  const Tensor x = tensor(names.image);
  const Tensor w = tensor(names.weight);
  const Tensor y = tensor(names.output);
  const bool is_forward = operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  const bool makes_image =
      operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
  const Tensor& result = is_forward ? y : makes_image ? x : w;
  for_each_index(result.extents, [&](const Index& index) { result.at(index) = 0; });
  const Descriptor& window = operation.parts.at(names.window)[0];
  const Index& stride = window.values.at(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  const Index& padding = window.values.at(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  const Index& dilation = window.values.at(CUDNN_ATTR_CONVOLUTION_DILATIONS);
  const int64_t group_outputs = w.extents[0] / (x.extents[1] / w.extents[1]);
  for_each_index(y.extents, [&](const Index& y_index) {
    Index taps = w.extents;
    taps[0] = 1;
    for_each_index(taps, [&](const Index& tap) {
      Index w_index = tap;
      w_index[0] = y_index[1];
      Index x_index = y_index;
      x_index[1] = y_index[1] / group_outputs * w.extents[1] + tap[1];
      for (size_t axis = 2; axis < tap.size(); ++axis) {
        x_index[axis] =
            y_index[axis] * stride[axis - 2] - padding[axis - 2] + tap[axis] * dilation[axis - 2];
        if (x_index[axis] < 0 || x_index[axis] >= x.extents[axis]) return;
      }
      if (is_forward) {
        y.at(y_index) += x.at(x_index) * w.at(w_index);
      } else if (makes_image) {
        x.at(x_index) += y.at(y_index) * w.at(w_index);
      } else {
        w.at(w_index) += x.at(x_index) * y.at(y_index);
      }
    });
  });
}

size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
      return sizeof(int64_t);
    default:
      return sizeof(int);
  }
}

}  // namespace

FakeCudnn::FakeCudnn(FakeDriver& driver) : driver_(driver) {
  current = this;
  set_engines({{.name = "best", .notes = {}}});
  api_.cudnnCreate.point_to([](cudnnHandle_t* handle) {
    *handle = reinterpret_cast<cudnnHandle_t>(current);
    return CUDNN_STATUS_SUCCESS;
  });
  api_.cudnnDestroy.point_to([](cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; });
  api_.cudnnGetVersion.point_to([]() -> size_t { return CUDNN_VERSION; });
  api_.cudnnGetErrorString.point_to(
      [](cudnnStatus_t) -> const char* { return "CUDNN_STATUS_BAD_PARAM"; });
  api_.cudnnGetLastErrorString.point_to(
      [](char* text, size_t size) { std::strncpy(text, "as told", size); });
  api_.cudnnSetStream.point_to([](cudnnHandle_t, cudaStream_t stream) {
    current->stream_ = stream;
    return CUDNN_STATUS_SUCCESS;
  });
  api_.cudnnBackendCreateDescriptor.point_to(
      [](cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* handle) {
        auto descriptor = std::make_unique<Descriptor>();
        descriptor->type = type;
        *handle = descriptor.get();
        current->descriptors_[*handle] = std::move(descriptor);
        return CUDNN_STATUS_SUCCESS;
      });
  api_.cudnnBackendDestroyDescriptor.point_to([](cudnnBackendDescriptor_t handle) {
    return current->descriptors_.erase(handle) == 1 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
  });
  api_.cudnnBackendSetAttribute.point_to([](cudnnBackendDescriptor_t handle,
                                            cudnnBackendAttributeName_t name,
                                            cudnnBackendAttributeType_t type,
                                            int64_t count,
                                            const void* values) {
    return current->set(current->at(handle), name, type, count, values);
  });
  api_.cudnnBackendGetAttribute.point_to(
      [](const cudnnBackendDescriptor_t handle,
         cudnnBackendAttributeName_t name,
         cudnnBackendAttributeType_t /*type*/,
         int64_t wanted,
         int64_t* count,
         void* values) { return current->get(current->at(handle), name, wanted, count, values); });
  api_.cudnnBackendFinalize.point_to(
      [](cudnnBackendDescriptor_t handle) { return current->finalize(current->at(handle)); });
  api_.cudnnBackendExecute.point_to(
      [](cudnnHandle_t, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
        return current->execute(current->at(plan), current->at(pack));
      });
}

FakeCudnn::~FakeCudnn() {
  current = nullptr;
}

void FakeCudnn::set_engines(std::vector<FakeEngine> best, std::vector<FakeEngine> fallback) {
  engines_[CUDNN_HEUR_MODE_A] = std::move(best);
  engines_[CUDNN_HEUR_MODE_FALLBACK] = std::move(fallback);
}

Descriptor& FakeCudnn::at(cudnnBackendDescriptor_t handle) const {
  return *descriptors_.at(handle);
}

cudnnStatus_t FakeCudnn::outcome() {
  return std::exchange(next_status_, CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t FakeCudnn::set(Descriptor& descriptor,
                             int name,
                             cudnnBackendAttributeType_t type,
                             int64_t count,
                             const void* values) {
  if (descriptor.finalized) return CUDNN_STATUS_BAD_PARAM;
  for (int64_t i = 0; i < count; ++i) {
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
      const Descriptor& part = at(static_cast<const cudnnBackendDescriptor_t*>(values)[i]);
      if (!part.finalized && part.type != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) {
        return CUDNN_STATUS_BAD_PARAM;
      }
      descriptor.parts[name].push_back(part);
      descriptor.engine = part.engine;
      descriptor.operation = part.operation;
    } else if (type == CUDNN_TYPE_FLOAT) {
      descriptor.numbers[name].push_back(static_cast<const float*>(values)[i]);
    } else if (type == CUDNN_TYPE_DOUBLE) {
      descriptor.numbers[name].push_back(static_cast<const double*>(values)[i]);
    } else {
      int64_t value = 0;
      const size_t bytes = bytes_of(type);
      std::memcpy(&value, static_cast<const std::byte*>(values) + i * bytes, bytes);
      descriptor.values[name].push_back(value);
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t FakeCudnn::get(
    const Descriptor& descriptor, int name, int64_t wanted, int64_t* count, void* values) {
  const auto handles = static_cast<cudnnBackendDescriptor_t*>(values);
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS: {
      const int64_t mode = descriptor.values.at(CUDNN_ATTR_ENGINEHEUR_MODE)[0];
      const std::vector<FakeEngine>& engines = engines_[static_cast<int>(mode)];
      *count = static_cast<int64_t>(engines.size());
      const Descriptor& graph = descriptor.parts.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)[0];
      const auto operation =
          std::make_shared<const Descriptor>(graph.parts.at(CUDNN_ATTR_OPERATIONGRAPH_OPS)[0]);
      for (int64_t i = 0; i < std::min(wanted, *count); ++i) {
        at(handles[i]).engine = engines[static_cast<size_t>(i)];
        at(handles[i]).operation = operation;
      }
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_ATTR_ENGINECFG_ENGINE:
      *count = 1;
      at(handles[0]).engine = descriptor.engine;
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      *count = static_cast<int64_t>(descriptor.engine.notes.size());
      std::ranges::copy(descriptor.engine.notes, static_cast<cudnnBackendNumericalNote_t*>(values));
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      *count = 1;
      *static_cast<int64_t*>(values) = descriptor.engine.workspace_bytes;
      return CUDNN_STATUS_SUCCESS;
    default:
      return CUDNN_STATUS_BAD_PARAM;
  }
}

cudnnStatus_t FakeCudnn::finalize(Descriptor& descriptor) {
  if (descriptor.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && !descriptor.engine.works) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  const bool is_tensor = descriptor.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  if (supports_f32_alone_ && is_tensor &&
      descriptor.values.at(CUDNN_ATTR_TENSOR_DATA_TYPE)[0] != CUDNN_DATA_FLOAT) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  descriptor.finalized = true;
  return outcome();
}

cudnnStatus_t FakeCudnn::execute(const Descriptor& plan, const Descriptor& pack) {
  const int64_t workspace = pack.values.at(CUDNN_ATTR_VARIANT_PACK_WORKSPACE)[0];
  driver_.record(fmt::format("cudnnBackendExecute {}, workspace {}, {}",
                             plan.engine.name,
                             driver_.name_of(reinterpret_cast<const void*>(workspace)),
                             driver_.name_of_object(stream_)));
  const Index& ids = pack.values.at(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Index& pointers = pack.values.at(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::map<int64_t, float*> addresses;
  for (size_t i = 0; i < ids.size(); ++i)
    addresses[ids[i]] = reinterpret_cast<float*>(pointers[i]);
  if (!plan.engine.executes) return CUDNN_STATUS_EXECUTION_FAILED;
  for (int i = 1; i < plan.engine.cost; ++i)
    driver_.enqueue(stream_, [] {});
  driver_.enqueue(stream_,
                  [operation = plan.operation, addresses] { convolve(*operation, addresses); });
  return outcome();
}

}  // namespace wick::runtime::cuda
