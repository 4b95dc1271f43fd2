#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A pipe whose ends no program inherits that another thread starts meanwhile.
static inline int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

// F_SETPIPE_SZ, which <fcntl.h> has for GNU programs alone. Where the system refuses, it stays as
// it is.
static inline void clinux_widen(int pipe, int bytes) { fcntl(pipe, 1031, bytes); }

// Between fork and exec only async-signal-safe calls are allowed, which Swift code cannot promise;
// posix_spawn cannot ask for a signal when the parent dies.

// How a program is started.
struct clinux_program {
    const char *path;
    char *const *argv;
    char *const *envp;
    // Descriptors that become its input, output and errors. -1: /dev/null for the input, those of
    // this process for the others.
    int input, output, errors;
    // The signal that it gets when the calling thread ends; 0: none.
    int death_signal;
    // Whether it gets a process group of its own.
    int has_own_group;
};

// The child's side of clinux_spawn; never returns.
static inline void clinux_become(const struct clinux_program *program, pid_t parent, int report) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (program->has_own_group) setpgid(0, 0);
    if (program->death_signal) {
        prctl(PR_SET_PDEATHSIG, program->death_signal);
        if (getppid() != parent) _exit(127);
    }
    int input = program->input >= 0 ? program->input : open("/dev/null", O_RDONLY);
    if (input >= 0 && dup2(input, 0) >= 0
        && (program->output < 0 || dup2(program->output, 1) >= 0)
        && (program->errors < 0 || dup2(program->errors, 2) >= 0)) {
        for (int descriptor = 3; descriptor < report; descriptor++) close(descriptor);
#ifdef SYS_close_range
        syscall(SYS_close_range, report + 1, ~0U, 0);
#endif
        execve(program->path, program->argv, program->envp);
    }
    int failure = errno;
    (void)!write(report, &failure, sizeof failure);
    _exit(127);
}

// Starts a program. Returns the process id, or -1 and errno, also when the program could not be
// executed.
static inline pid_t clinux_spawn(struct clinux_program program) {
    int ends[2];
    if (clinux_pipe(ends) != 0) return -1;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) clinux_become(&program, parent, ends[1]);
    int failure = child < 0 ? errno : 0;
    close(ends[1]);
    if (child > 0) {
        ssize_t count;
        do count = read(ends[0], &failure, sizeof failure);
        while (count < 0 && errno == EINTR);
        if (count > 0) {
            waitpid(child, NULL, 0);
            child = -1;
        }
    }
    close(ends[0]);
    if (child < 0) errno = failure;
    return child;
}

// A connected pair of sockets whose ends no other program inherits.
static inline int clinux_socket_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

// Processor time of another process, microseconds; -1 if it has ended.
static inline int64_t clinux_processor_microseconds(pid_t process) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return -1;
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

// The least favourable scheduling, and a bound of the address space, for a worker process.
static inline void clinux_yield_to_others(size_t bytes) {
    struct rlimit limit = { bytes, bytes };
    setrlimit(RLIMIT_AS, &limit);
    setpriority(PRIO_PROCESS, 0, 10);
}

// Keeps the memory of this process out of files. A limit of one byte also stops a core_pattern that
// is a pipe, which a limit of 0 does not (core(5)); where it cannot be set, the process is made
// undumpable, at the price that its own user sees less of it in /proc.
static inline void clinux_forbid_core_dumps(void) {
    struct rlimit one = { 1, 1 };
    if (setrlimit(RLIMIT_CORE, &one) == 0) return;
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
}

// Removes the handlers by which the Swift runtime prints registers and the memory around them
// when the process crashes.
static inline void clinux_print_no_memory_on_crash(void) {
    const int crashes[] = { SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
    for (unsigned index = 0; index < sizeof crashes / sizeof *crashes; index++)
        signal(crashes[index], SIG_DFL);
}

// wait(2)'s macros: exit status, or 128 + the number of the signal that ended it.
static inline int clinux_exit_status(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// fcntl(2) is variadic.
static inline void clinux_set_nonblocking(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

// <malloc.h> is none of Swift's headers.
#include <malloc.h>
static inline void clinux_give_back_memory(void) { malloc_trim(0); }
