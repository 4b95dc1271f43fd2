#pragma once
#include <curl/curl.h>

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic macros. One function for
// each type of value; all return 0 when the option was taken.
static inline int ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}
static inline int ccurl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}
static inline int ccurl_set_size(CURL *easy, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(easy, option, size);
}
static inline int ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}
static inline int ccurl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}
static inline int ccurl_set_data_callback(CURL *easy, CURLoption option, curl_write_callback f) {
    return curl_easy_setopt(easy, option, f);
}
static inline int ccurl_set_debug_callback(CURL *easy, curl_debug_callback f) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, f);
}
static inline int ccurl_set_socket_callbacks(
    CURL *easy, curl_opensocket_callback open, curl_closesocket_callback close, void *context
) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open)
        || curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context)
        || curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close)
        || curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

static inline int ccurl_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}
static inline int ccurl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context
) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket)
        || curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context)
        || curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer)
        || curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

static inline long ccurl_number(CURL *easy, CURLINFO info) {
    long number = 0;
    curl_easy_getinfo(easy, info, &number);
    return number;
}
static inline curl_off_t ccurl_size(CURL *easy, CURLINFO info) {
    curl_off_t size = 0;
    curl_easy_getinfo(easy, info, &size);
    return size;
}

// CURLcode is a C enum of about a hundred cases; Swift compares plain numbers.
static inline int ccurl_result(const CURLMsg *message) { return message->data.result; }
