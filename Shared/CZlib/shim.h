#pragma once
#include <zlib.h>

// deflateInit2 is a macro. Without a header of its own, as entries of ZIP archives are.
static inline int czlib_deflate_raw(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                        Z_DEFAULT_STRATEGY);
}
