#pragma once
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

// Swift sees signalfd(2) only with a flags type that it cannot spell.
static inline int clinux_signalfd(const sigset_t *set) {
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}
