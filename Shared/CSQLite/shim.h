#pragma once
#include <sqlite3.h>

// sqlite3_config is variadic, which Swift cannot call. Nobody asks how much memory SQLite has: not
// counted, it costs no lock for each piece. To be called before anything else of SQLite.
static inline void csqlite_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// SQLITE_TRANSIENT is a cast, which Swift does not import: SQLite copies what it is given.
static inline int csqlite_bind_text(sqlite3_stmt *s, int i, const void *bytes, int count) {
    return sqlite3_bind_text(s, i, (const char *)bytes, count, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob(sqlite3_stmt *s, int i, const void *bytes, int count) {
    // A null pointer would bind NULL instead of an empty blob.
    if (count == 0) return sqlite3_bind_zeroblob(s, i, 0);
    return sqlite3_bind_blob(s, i, bytes, count, SQLITE_TRANSIENT);
}
