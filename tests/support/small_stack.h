#pragma once

#include <functional>

#include <gtest/gtest.h>
#include <pthread.h>

namespace wick::testing_support {

/// Runs on a thread whose stack a recursion over a large graph would overflow.
inline void run_on_small_stack(std::function<void()> work) {
  constexpr size_t kStackBytes = 512U << 10U;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread;
  const auto entry = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, entry, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace wick::testing_support
