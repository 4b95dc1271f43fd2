import Model

/// The last watch of a person, as far as the notifier needs it: while it is running, and after it
/// expired until the person arrives at its destination.
package struct OwnWatch: Hashable, Sendable, Codable {
    package var watch: Watch
    /// The number from which an extension was requested; nil = none is awaited.
    package var extendedBy: String?

    package init(_ watch: Watch) { self.watch = watch }
}
