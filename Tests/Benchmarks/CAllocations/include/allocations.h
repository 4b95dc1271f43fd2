#pragma once
// Counts what a process allocates: its own malloc in front of glibc's, which the Swift runtime then
// uses, too. No tool outside of the process can tell what one call allocates.
#include <stdint.h>

// How often memory was asked for so far.
int64_t allocations_count(void);
// Bytes in use now.
int64_t allocations_bytes(void);
