import CSodium
import Model

/// The door to libsodium, which wants to be made ready once before its first use.
enum Sodium {
    private static let isReady: Bool = sodium_init() >= 0

    /// Makes libsodium ready; does nothing but a load after the first call.
    static func prepare() {
        invariant(isReady, "libsodium can be initialised")
    }
}
