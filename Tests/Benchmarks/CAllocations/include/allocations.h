#pragma once
// Counts allocations of the process with wrappers of glibc's functions. The Swift runtime uses them
// too. Tools outside the process cannot measure the allocations of a single call.
#include <stdint.h>

// Number of allocations so far.
int64_t allocations_count(void);
// Bytes in use.
int64_t allocations_bytes(void);
