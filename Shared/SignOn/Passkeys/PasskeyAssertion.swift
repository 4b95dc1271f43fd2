import CFido2
import Hashing
import Model

/// Response of an authenticator that signs in with a passkey (WebAuthn, section 7.2).
public struct PasskeyAssertion: Hashable, Sendable {
    /// `clientDataJSON`.
    public var clientData: [UInt8]
    /// `authenticatorData`.
    public var authenticatorData: [UInt8]
    public var signature: [UInt8]

    public init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
    }

    /// Verifies the response.
    ///
    /// - Parameter key: the key as it was registered, with the counter of its last use
    /// - Returns: the key with its new counter
    /// - Throws: ``PasskeyRejection``: the first reason
    public func verify(
        with key: PasskeyKey, for party: RelyingParty, challenge: [UInt8]
    ) throws(PasskeyRejection) -> PasskeyKey {
        guard clientData.count <= RelyingParty.responseBytesMax,
            authenticatorData.count <= RelyingParty.responseBytesMax,
            signature.count <= RelyingParty.responseBytesMax
        else { throw .malformed }
        try party.check(clientData, .get, challenge: challenge)
        try party.check(authenticatorData)
        Fido.prepare()
        var assertion = fido_assert_new()
        guard assertion != nil else { throw .malformed }
        defer { fido_assert_free(&assertion) }
        let digest = Hash.sha256(clientData)
        guard fido_assert_set_count(assertion, 1) == FIDO_OK,
            fido_assert_set_rp(assertion, party.id) == FIDO_OK,
            fido_assert_set_clientdata_hash(assertion, digest, digest.count) == FIDO_OK,
            fido_assert_set_authdata_raw(
                assertion, 0, authenticatorData, authenticatorData.count) == FIDO_OK,
            fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_sig(assertion, 0, signature, signature.count) == FIDO_OK
        else { throw .malformed }
        guard
            cfido2_verify(assertion, Int32(key.algorithm.number), key.bytes, key.bytes.count)
                == FIDO_OK
        else { throw .signature }
        let counter = fido_assert_sigcount(assertion, 0)
        // Many authenticators never count. One that counts must go on.
        guard counter > key.counter || counter == 0 && key.counter == 0 else { throw .counter }
        var key = key
        key.counter = counter
        return key
    }
}
