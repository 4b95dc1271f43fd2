import Model
import SignOn

/// A document that a provider publishes.
public enum ProviderDocument: String, Hashable, Sendable {
    /// Its endpoints (discovery).
    case metadata
    /// Its public keys.
    case keys
}

/// What is known of a provider, and when to read it again.
///
/// Metadata is read daily and keys hourly. A token with an unknown key makes the keys be read at
/// once, because a provider may change them at any time. It does so at most once a minute, because
/// anybody can make such a token. What was read before stays valid if the provider cannot be
/// reached.
struct ProviderState: Sendable {
    private(set) var metadata: ProviderMetadata?
    private(set) var keys: KeySet?
    /// The document that is being read.
    private(set) var reading: ProviderDocument?
    /// Why the last attempt failed; nil = it did not.
    private(set) var failure: String?
    private var metadataRead = Timestamp.zero
    private var keysRead = Timestamp.zero
    private var nextTry = Timestamp.zero
    /// When an unknown key makes the keys be read again.
    private var nextKeyRefresh = Timestamp.zero
    private var failures = 0

    var isReady: Bool { metadata != nil && keys != nil }

    /// When a document is due.
    var due: Timestamp {
        guard reading == nil else { return .distantFuture }
        guard isReady else { return nextTry }
        let date = min(
            metadataRead + Limits.providerMetadataAge, keysRead + Limits.providerKeysAge)
        return max(nextTry, date)
    }

    /// The document to read now, if one is due.
    mutating func refresh(at now: Timestamp) -> ProviderDocument? {
        guard due <= now else { return nil }
        let isMetadataDue = !isReady || metadataRead + Limits.providerMetadataAge <= now
        reading = isMetadataDue ? .metadata : .keys
        return reading
    }

    /// Reads the keys again because a token names an unknown one.
    ///
    /// - Returns: false if they were read just now
    mutating func refreshKeys(at now: Timestamp) -> (willBeRead: Bool, document: ProviderDocument?)
    {
        if reading != nil { return (true, nil) }
        guard metadata != nil, now >= nextKeyRefresh, now >= nextTry else {
            return (false, nil)
        }
        nextKeyRefresh = now + Limits.providerKeysPause
        reading = .keys
        return (true, .keys)
    }

    /// Handles a document that was read.
    ///
    /// - Parameter bytes: nil = it could not be read
    /// - Returns: the document to read next
    mutating func receive(
        _ document: ProviderDocument, _ bytes: [UInt8]?, of provider: SignInProvider,
        at now: Timestamp
    ) -> ProviderDocument? {
        guard reading == document else { return nil }
        reading = nil
        guard let bytes else {
            fail("it could not be read", document, at: now)
            return nil
        }
        switch document {
        case .metadata:
            do {
                metadata = try ProviderMetadata(
                    bytes, issuer: provider.issuer, algorithm: provider.algorithm)
            } catch {
                fail(error.explanation, document, at: now)
                return nil
            }
            metadataRead = now
            reading = .keys
            return .keys
        case .keys:
            guard let set = KeySet(jwks: bytes), set.count > 0 else {
                fail("it has no usable key", document, at: now)
                return nil
            }
            keys = set
            keysRead = now
            failure = nil
            failures = 0
            nextTry = .zero
            return nil
        }
    }

    private mutating func fail(
        _ reason: String, _ document: ProviderDocument, at now: Timestamp
    ) {
        failure = "\(document.rawValue): \(reason)"
        // 5 s, 10 s, 20 s … 5 min.
        nextTry = now + min(.seconds(300), .seconds(5 << min(failures, 6)))
        failures += 1
    }

    /// Forgets a request that may not have left, after a rolled-back turn.
    mutating func rollBack() { reading = nil }
}
