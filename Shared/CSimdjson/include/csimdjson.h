#pragma once
// simdjson is C++; this is the door to it in C. A text becomes a flat list of tokens, in the order
// in which they stand, because a walk over plain memory is the cheapest thing to hand over.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum csimdjson_kind {
    CSIMDJSON_NULL = 0,
    CSIMDJSON_FALSE = 1,
    CSIMDJSON_TRUE = 2,
    CSIMDJSON_INTEGER = 3,
    CSIMDJSON_NUMBER = 4,
    CSIMDJSON_STRING = 5,
    // `length` is the count of values, which follow; `integer` that of all tokens of it, this one
    // included.
    CSIMDJSON_ARRAY = 6,
    // `length` is the count of members, which follow: a STRING for the key, then the value;
    // `integer` as above.
    CSIMDJSON_OBJECT = 7,
} csimdjson_kind;

typedef struct csimdjson_token {
    uint32_t kind;
    uint32_t length;
    int64_t integer;
    double number;
    // UTF-8, not terminated.
    const uint8_t *text;
} csimdjson_token;

typedef struct csimdjson_result {
    // Both belong to the calling thread and live until its next call.
    const csimdjson_token *tokens;
    size_t count;
    // Nothing, or what is wrong with the text; a constant.
    const char *error;
    // Where the fault was noticed, in bytes; negative where that is not known.
    int64_t offset;
    // Whether there are more values than allowed.
    bool is_over;
} csimdjson_result;

// Reads one JSON text. Values nested deeper than `depth_max`, and more than `values_max` of them,
// are an error; keys of objects are not counted.
csimdjson_result csimdjson_parse(
    const uint8_t *bytes, size_t length, size_t depth_max, size_t values_max);

#ifdef __cplusplus
}
#endif
