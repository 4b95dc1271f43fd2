#pragma once
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>

// The key types are complete in the headers, but Swift needs none of their members. One function
// verifies with any of them; it returns FIDO_OK or an error of libfido2.
static inline int cfido2_verify(
    const fido_assert_t *assertion, int algorithm, const void *key, size_t size
) {
    int result = FIDO_ERR_INVALID_ARGUMENT;
    if (algorithm == COSE_ES256) {
        es256_pk_t *public_key = es256_pk_new();
        if (!public_key) return FIDO_ERR_INTERNAL;
        result = es256_pk_from_ptr(public_key, key, size);
        if (result == FIDO_OK) result = fido_assert_verify(assertion, 0, algorithm, public_key);
        es256_pk_free(&public_key);
    } else if (algorithm == COSE_RS256) {
        rs256_pk_t *public_key = rs256_pk_new();
        if (!public_key) return FIDO_ERR_INTERNAL;
        result = rs256_pk_from_ptr(public_key, key, size);
        if (result == FIDO_OK) result = fido_assert_verify(assertion, 0, algorithm, public_key);
        rs256_pk_free(&public_key);
    } else if (algorithm == COSE_EDDSA) {
        eddsa_pk_t *public_key = eddsa_pk_new();
        if (!public_key) return FIDO_ERR_INTERNAL;
        result = eddsa_pk_from_ptr(public_key, key, size);
        if (result == FIDO_OK) result = fido_assert_verify(assertion, 0, algorithm, public_key);
        eddsa_pk_free(&public_key);
    }
    return result;
}
