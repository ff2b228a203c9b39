#pragma once

// Blocks of one size that a thread frees and takes again, newest first. Internal to
// tensor/node.cpp.

#include <cstddef>
#include <new>

namespace wick::detail {

/// One a thread, in thread-local storage without a constructor, so that using it costs no guard.
/// Holds at most kMost blocks: what one thread makes and another frees goes back to the system.
template <size_t kBytes>
class NodePool {
 public:
  static constexpr std::align_val_t kAlignment{64};

  void* allocate() {
    if (first_ == nullptr) [[unlikely]]
      return ::operator new(kBytes, kAlignment);
    Block* const block = first_;
    first_ = block->next;
    --count_;
    return block;
  }

  void free(void* block) noexcept {
    if (count_ >= most_ && !open()) [[unlikely]]
      return ::operator delete(block, kAlignment);
    first_ = new (block) Block{first_};
    ++count_;
  }

  /// Frees the blocks; those that come later are freed at once.
  void close() noexcept {
    state_ = State::closed;
    most_ = 0;
    while (first_ != nullptr) {
      Block* const block = first_;
      first_ = block->next;
      ::operator delete(block, kAlignment);
    }
    count_ = 0;
  }

 private:
  struct Block {
    Block* next;
  };

  enum class State : unsigned char { unused, open, closed };

#ifdef __SANITIZE_ADDRESS__
  static constexpr size_t kMost = 0;  // use after free is found only in blocks that went back
#else
  static constexpr size_t kMost = size_t{1} << 16U;
#endif

  /// Sees to it that the thread's end closes the pool. True if that makes room.
  bool open() noexcept {
    if (state_ != State::unused) return false;

    struct Closer {
      NodePool* pool;

      ~Closer() { pool->close(); }
    };

    thread_local const Closer closer{this};
    state_ = State::open;
    most_ = kMost;
    return most_ > 0;
  }

  Block* first_ = nullptr;
  size_t count_ = 0;
  size_t most_ = 0;
  State state_ = State::unused;
};

}  // namespace wick::detail
