// swift-iap2 · Apache-2.0
// Preloaded by tools/bench/count-allocations: counts what the C library's allocator is asked for, and says so at the
// end. Works with glibc, whose own functions it calls under their internal names.

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_ulong count;

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count++;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count++;
  *result = __libc_memalign(alignment, size);
  return *result == NULL && size > 0 ? 12 : 0;
}

/* The allocations so far, for a program that looks the name up. */
unsigned long iap2_allocation_count(void) { return count; }

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocations: %lu\n", count); }
