#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
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

// struct epoll_event is packed and holds a union. Adds the descriptor or changes its events.
static inline int clinux_epoll_set(int epoll, int descriptor, uint32_t events) {
    struct epoll_event event = { .events = events, .data = { .fd = descriptor } };
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int clinux_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

// Returns one event without waiting; 1 = there was one.
static inline int clinux_epoll_next(int epoll, int *descriptor, uint32_t *events) {
    struct epoll_event event;
    int count = epoll_wait(epoll, &event, 1, 0);
    if (count == 1) {
        *descriptor = event.data.fd;
        *events = event.events;
    }
    return count;
}

// SOCK_… are members of a C enum, which Swift cannot combine with `type`.
static inline int clinux_socket(int family, int type, int protocol) {
    return socket(family, type | SOCK_CLOEXEC, protocol);
}

static inline int clinux_tcp_socket(void) {
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Sets the time to the next SIGALRM; 0 = none. A handler ends the process, because the first
// process of a container ignores signals without one.
static inline void clinux_set_alarm(long milliseconds) {
    struct itimerval timer = { { 0, 0 }, { milliseconds / 1000, milliseconds % 1000 * 1000 } };
    setitimer(ITIMER_REAL, &timer, NULL);
}

// SA_NODEFER: the next signal may interrupt a handler.
static inline void clinux_on_alarm(void (*handler)(int)) {
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER };
    sigaction(SIGALRM, &action, NULL);
}

static inline void clinux_end(int signal_number) {
    (void)signal_number;
    _exit(70);
}

static inline void clinux_overdue(int signal_number) {
    static const char words[] =
        "level=error msg=\"event loop stuck; process exits\"\n";
    (void)signal_number;
    // The write may block, since the reader of the log may be the cause: the timer ends it then.
    clinux_on_alarm(clinux_end);
    clinux_set_alarm(200);
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) { }
    _exit(70);
}

// A process that was suspended gets another second before it ends.
static inline void clinux_last_chance(int signal_number) {
    (void)signal_number;
    clinux_on_alarm(clinux_overdue);
    clinux_set_alarm(1000);
}

// Ends the process unless this is called again within this time; 0 = stops watching.
static inline void clinux_watch(long milliseconds) {
    clinux_on_alarm(clinux_last_chance);
    clinux_set_alarm(milliseconds);
}
