import CFido2
import Model

/// Response of an authenticator that made a new passkey (WebAuthn, section 7.1).
///
/// No attestation is asked for: which model the authenticator is makes no difference. Its data is
/// therefore not signed. The first sign-in proves that the key works.
public struct PasskeyRegistration: Hashable, Sendable {
    /// `clientDataJSON`.
    public var clientData: [UInt8]
    /// `authenticatorData`.
    public var authenticatorData: [UInt8]

    public init(clientData: [UInt8], authenticatorData: [UInt8]) {
        self.clientData = clientData
        self.authenticatorData = authenticatorData
    }

    /// Verifies the response and returns the new key.
    ///
    /// - Throws: ``PasskeyRejection``: the first reason
    public func verify(
        for party: RelyingParty, challenge: [UInt8]
    ) throws(PasskeyRejection) -> PasskeyKey {
        guard clientData.count <= RelyingParty.responseBytesMax,
            authenticatorData.count <= RelyingParty.responseBytesMax
        else { throw .malformed }
        try party.check(clientData, .create, challenge: challenge)
        try party.check(authenticatorData)
        Fido.prepare()
        for algorithm in PasskeyKey.Algorithm.allCases {
            if let key = key(algorithm) {
                guard PasskeyKey.idBytes.contains(key.id.count) else { throw .malformed }
                return key
            }
        }
        // Without attested data there is no key of any algorithm.
        let hasKey = authenticatorData[32] & 0x40 != 0
        throw hasKey ? .algorithm : .malformed
    }

    /// The key in the data if it has this algorithm.
    private func key(_ algorithm: PasskeyKey.Algorithm) -> PasskeyKey? {
        var credential = fido_cred_new()
        guard credential != nil else { return nil }
        defer { fido_cred_free(&credential) }
        guard fido_cred_set_type(credential, Int32(algorithm.number)) == FIDO_OK,
            fido_cred_set_authdata_raw(credential, authenticatorData, authenticatorData.count)
                == FIDO_OK,
            let id = fido_cred_id_ptr(credential), let key = fido_cred_pubkey_ptr(credential)
        else { return nil }
        return PasskeyKey(
            id: Array(UnsafeBufferPointer(start: id, count: fido_cred_id_len(credential))),
            algorithm: algorithm,
            bytes: Array(UnsafeBufferPointer(start: key, count: fido_cred_pubkey_len(credential))),
            counter: fido_cred_sigcount(credential))
    }
}
