#include "wick/runtime/onednn/image_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

class ImageLoopCall final : public HostCall {
 public:
  ImageLoopCall(ImageLoop loop, bool side_by_side)
      : calls_(loop.calls),
        operand_stride_(loop.operand_stride),
        result_stride_(loop.result_stride),
        side_by_side_(side_by_side),
        lanes_(side_by_side ? std::min<int64_t>(loop.calls, max_threads()) : 1) {
    std::optional<ThreadCountScope> one_thread;
    if (side_by_side_) one_thread.emplace(1);
    call_ = make_primitive_call(std::move(loop.call));
    implementation_ = fmt::format("{}, {}", call_->implementation(), loop.calls_are);
    lane_bytes_ = (call_->scratch_bytes() + 63) / 64 * 64;
  }

  std::string_view implementation() const override { return implementation_; }

  size_t scratch_bytes() const override { return static_cast<size_t>(lanes_) * lane_bytes_; }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const auto make_calls = [&](int64_t lane) {
      for (int64_t call = lane; call < calls_; call += lanes_) {
        const void* const pointers[] = {
            static_cast<const float*>(operands[0]) + call * operand_stride_, operands[1]};
        call_->run(pointers,
                   static_cast<float*>(result) + call * result_stride_,
                   scratch + static_cast<size_t>(lane) * lane_bytes_);
      }
    };
    if (!side_by_side_) return make_calls(0);
    parallel_for(lanes_, [&](int64_t lane) {
      const ThreadCountScope one_thread(1);
      make_calls(lane);
    });
  }

 private:
  int64_t calls_;
  int64_t operand_stride_;
  int64_t result_stride_;
  bool side_by_side_;
  int64_t lanes_;  // that make calls, each with scratch of its own
  std::unique_ptr<HostCall> call_;
  std::string implementation_;
  size_t lane_bytes_ = 0;  // scratch
};

}  // namespace

std::unique_ptr<HostCall> make_image_loop(ImageLoop loop) {
  return std::make_unique<ImageLoopCall>(std::move(loop), /*side_by_side=*/true);
}

std::unique_ptr<HostCall> make_loop_of_parts(ImageLoop loop) {
  return std::make_unique<ImageLoopCall>(std::move(loop), /*side_by_side=*/false);
}

}  // namespace wick::runtime::onednn
