#pragma once

// Intrusive shared ownership: one pointer wide, thread-safe counts, visible counts.

#include <atomic>
#include <cstdint>
#include <utility>

#include <sys/single_threaded.h>

namespace wick {

template <typename T>
class Ref;

/// Base of objects held by `Ref`. `T` may define `static void destroy(const T*)` to control how
/// the last reference ends the object (recorded nodes do: long chains end iteratively).
template <typename T>
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  [[nodiscard]] uint32_t ref_count() const { return count_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;

 private:
  friend class Ref<T>;
  friend class Ref<const T>;

  // Locked instructions cost more than all else in recording an op, so a process that never had a
  // second thread does without.

  void add_reference() const {
    if (__libc_single_threaded != 0) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// True when it was the last, which the count goes on showing.
  bool drop_reference() const {
    const uint32_t before = count_.load(std::memory_order_acquire);
    if (before == 1) return true;  // the only one gains no company while it goes
    if (__libc_single_threaded == 0) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    count_.store(before - 1, std::memory_order_relaxed);
    return false;
  }

  mutable std::atomic<uint32_t> count_{0};
};

template <typename T>
class Ref {
 public:
  Ref() = default;

  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): reads as a null pointer.

  explicit Ref(T* object) : object_(object) { retain(); }

  Ref(const Ref& other) : object_(other.object_) { retain(); }

  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}

  template <typename U>
    requires std::is_convertible_v<U*, T*>
  Ref(const Ref<U>& other) : object_(other.get()) {  // NOLINT(google-explicit-constructor)
    retain();
  }

  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  ~Ref() { release(); }

  [[nodiscard]] T* get() const { return object_; }

  T* operator->() const { return object_; }

  T& operator*() const { return *object_; }

  explicit operator bool() const { return object_ != nullptr; }

  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  /// Gives up ownership without releasing: for the iterative release of long chains.
  [[nodiscard]] T* leak() { return std::exchange(object_, nullptr); }

  /// The first reference to an object that nobody shares yet.
  static Ref first(T* fresh) {
    fresh->count_.store(1, std::memory_order_relaxed);
    Ref reference;
    reference.object_ = fresh;
    return reference;
  }

  /// Drops one count of an object whose reference was leaked; true when it was the last.
  static bool drop(T* object) { return object->drop_reference(); }

 private:
  void retain() {
    if (object_ != nullptr) object_->add_reference();
  }

  void release() {
    if (object_ == nullptr || !drop(object_)) return;
    if constexpr (requires { T::destroy(object_); }) {
      T::destroy(object_);
    } else {
      delete object_;  // NOLINT(cppcoreguidelines-owning-memory): this is the owner.
    }
  }

  T* object_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::first(
      new T(std::forward<Args>(args)...));  // NOLINT(cppcoreguidelines-owning-memory)
}

}  // namespace wick
