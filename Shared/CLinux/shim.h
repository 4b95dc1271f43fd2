#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Swift sees signalfd(2) only with a flags type that it cannot spell.
static inline int clinux_signalfd(const sigset_t *set) {
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// SIG_IGN is a cast function pointer, which Swift does not import.
static inline void clinux_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

// A mutable global, which Swift 6 refuses to read.
static inline char **clinux_environment(void) {
    extern char **environ;
    return environ;
}

// open(2) is variadic.
static inline int clinux_open(const char *path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC, mode);
}
