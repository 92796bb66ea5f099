// Lets the thread sanitizer see a Mutex of Swift's library: preload it into what runs under the sanitizer.
// SPDX-License-Identifier: Apache-2.0
//
// A thread that has to wait for a Mutex, or wakes one that waits, does so in `_MutexHandle._lockSlow` and `_unlockSlow`,
// which have no instrumentation: the sanitizer sees neither that the one waited nor for whom, and reports what both do
// under the lock. Here both say so. Nothing else is hidden: the order is that of this one lock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex);

lock_slow iap2_lock_slow __asm__(LOCK_SLOW);
unlock_slow iap2_unlock_slow __asm__(UNLOCK_SLOW);

// What comes behind this file: the library's own.
static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

// The sanitizer is part of the program; a program without it needs nothing of this.
static void tell(const char *name, void *mutex) {
  void (*function)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, name);
  if (function) function(mutex);
}

__attribute__((swiftcall)) void iap2_lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  ((lock_slow *)next(LOCK_SLOW))(thread, mutex);
  tell("__tsan_acquire", mutex);
}

__attribute__((swiftcall)) void iap2_unlock_slow(__attribute__((swift_context)) void *mutex) {
  tell("__tsan_release", mutex);
  ((unlock_slow *)next(UNLOCK_SLOW))(mutex);
}
