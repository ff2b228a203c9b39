#include "wick/runtime/cuda/graph.h"

namespace wick::runtime::cuda {
namespace {

/// A recorded graph before it is made ready for launches.
class Recording {
 public:
  explicit Recording(const Device& device) : device_(device) {}

  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  ~Recording() {
    if (graph_ != nullptr) device_.call_quietly(device_.api().cuGraphDestroy, graph_);
  }

  void record(const std::function<void(const Stream&)>& enqueue) {
    const Stream stream(device_);
    // Thread-local: other threads may go on allocating and waiting meanwhile.
    device_.call("beginning a graph",
                 device_.api().cuStreamBeginCapture,
                 stream.handle(),
                 CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    try {
      enqueue(stream);
    } catch (...) {
      device_.call_quietly(device_.api().cuStreamEndCapture, stream.handle(), &graph_);
      throw;
    }
    device_.call("ending a graph", device_.api().cuStreamEndCapture, stream.handle(), &graph_);
  }

  [[nodiscard]] size_t num_nodes() const {
    size_t count = 0;
    device_.call("counting the nodes of a graph",
                 device_.api().cuGraphGetNodes,
                 graph_,
                 static_cast<CUgraphNode*>(nullptr),
                 &count);
    return count;
  }

  [[nodiscard]] CUgraphExec instantiate() const {
    CUgraphExec executable = nullptr;
    device_.call("making a graph ready",
                 device_.api().cuGraphInstantiateWithFlags,
                 &executable,
                 graph_,
                 0ULL);
    return executable;
  }

 private:
  const Device& device_;
  CUgraph graph_ = nullptr;
};

}  // namespace

LaunchGraph::LaunchGraph(const Device& device, const std::function<void(const Stream&)>& enqueue)
    : device_(device) {
  Recording recording(device);
  recording.record(enqueue);
  num_nodes_ = recording.num_nodes();
  handle_ = recording.instantiate();
}

LaunchGraph::~LaunchGraph() {
  device_.call_quietly(device_.api().cuGraphExecDestroy, handle_);
}

void LaunchGraph::launch(const Stream& stream) const {
  device_.call("launching a graph", device_.api().cuGraphLaunch, handle_, stream.handle());
}

}  // namespace wick::runtime::cuda
