#pragma once
#include <errno.h>
#include <mosquitto.h>

// MOSQ_ERR_ERRNO leaves the reason in errno, which has to be read before anything else runs.
static inline int cmosquitto_read(struct mosquitto *client, int *error) {
    int result = mosquitto_loop_read(client, 1);
    *error = errno;
    return result;
}
static inline int cmosquitto_write(struct mosquitto *client, int *error) {
    int result = mosquitto_loop_write(client, 1);
    *error = errno;
    return result;
}
static inline int cmosquitto_connect(
    struct mosquitto *client, const char *host, int port, int keep_alive, int *error
) {
    int result = mosquitto_connect_async(client, host, port, keep_alive);
    *error = errno;
    return result;
}

// Without a callback OpenSSL would ask for the passphrase of a key on the terminal.
static inline int cmosquitto_no_passphrase(char *text, int size, int is_writing, void *context) {
    return 0;
}
static inline int cmosquitto_tls(
    struct mosquitto *client, const char *authorities, const char *certificate, const char *key
) {
    if (!authorities) {
        int result = mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
        if (result) return result;
        authorities = NULL;
    }
    return mosquitto_tls_set(
        client, authorities, authorities ? NULL : "/etc/ssl/certs", certificate, key,
        cmosquitto_no_passphrase);
}
