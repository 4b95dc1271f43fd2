#pragma once
#include <microhttpd.h>
#include <stdbool.h>

// MHD_start_daemon is variadic, which Swift cannot call.
struct cmhd_limits {
    unsigned int connections;
    unsigned int idle_seconds;
    size_t connection_memory;
};

// No thread of its own and no port of its own: it serves the listening socket that it is given,
// which it closes at the end, and is driven by MHD_run from the caller's loop.
static inline struct MHD_Daemon *cmhd_start(
    int listening, MHD_AcceptPolicyCallback welcome, MHD_NotifyConnectionCallback connection,
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback completed,
    void *(*target)(void *, const char *, struct MHD_Connection *), void *context,
    struct cmhd_limits limits
) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0, welcome, context,
        handle, context,
        MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
}

// MHD_get_daemon_info and MHD_get_connection_info are variadic and answer with unions.
static inline int cmhd_epoll_fd(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static inline const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline int cmhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// What was set when the connection was opened; the address of the field, as the library gives it.
static inline void *cmhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Whose constants Swift gives other names from one version to the next.
static inline bool cmhd_is_start(enum MHD_ConnectionNotificationCode what) {
    return what == MHD_CONNECTION_NOTIFY_STARTED;
}
