#include "wick/runtime/onednn/image_loop.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

class ImageLoopCall final : public HostCall {
 public:
  explicit ImageLoopCall(ImageLoop loop)
      : images_(loop.images),
        operand_stride_(loop.operand_stride),
        result_stride_(loop.result_stride),
        lanes_(std::min<int64_t>(loop.images, max_threads())) {
    const ThreadCountScope one_thread(1);
    one_image_ = make_primitive_call(std::move(loop.one_image));
    implementation_ = fmt::format("{}, image by image", one_image_->implementation());
    lane_bytes_ = (one_image_->scratch_bytes() + 63) / 64 * 64;
  }

  std::string_view implementation() const override { return implementation_; }

  size_t scratch_bytes() const override { return static_cast<size_t>(lanes_) * lane_bytes_; }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    parallel_for(lanes_, [&](int64_t lane) {
      const ThreadCountScope one_thread(1);
      for (int64_t image = lane; image < images_; image += lanes_) {
        const void* const pointers[] = {
            static_cast<const float*>(operands[0]) + image * operand_stride_, operands[1]};
        one_image_->run(pointers,
                        static_cast<float*>(result) + image * result_stride_,
                        scratch + static_cast<size_t>(lane) * lane_bytes_);
      }
    });
  }

 private:
  int64_t images_;
  int64_t operand_stride_;
  int64_t result_stride_;
  int64_t lanes_;  // that walk images, each with scratch of its own
  std::unique_ptr<HostCall> one_image_;
  std::string implementation_;
  size_t lane_bytes_ = 0;  // scratch
};

}  // namespace

std::unique_ptr<HostCall> make_image_loop(ImageLoop loop) {
  return std::make_unique<ImageLoopCall>(std::move(loop));
}

}  // namespace wick::runtime::onednn
