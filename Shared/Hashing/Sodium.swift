import CSodium
import Model

/// Initialisation of libsodium, required once before its first use.
enum Sodium {
    private static let isReady: Bool = sodium_init() >= 0

    /// Initialises libsodium. After the first call it costs one load.
    static func prepare() {
        invariant(isReady, "libsodium can be initialised")
    }
}
