#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

// The functions of glibc, under the names for wrappers.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

// The benchmark has one thread.
static int64_t count;
static int64_t bytes;

static void *count_allocation(void *memory) {
    count += 1;
    if (memory) bytes += (int64_t)malloc_usable_size(memory);
    return memory;
}

static void count_free(void *memory) {
    if (memory) bytes -= (int64_t)malloc_usable_size(memory);
}

void *malloc(size_t size) { return count_allocation(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return count_allocation(__libc_calloc(number, size)); }

void *realloc(void *memory, size_t size) {
    count_free(memory);
    return count_allocation(__libc_realloc(memory, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return count_allocation(__libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = count_allocation(__libc_memalign(alignment, size));
    return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
    count_free(memory);
    __libc_free(memory);
}

int64_t allocations_count(void) { return count; }

int64_t allocations_bytes(void) { return bytes; }
