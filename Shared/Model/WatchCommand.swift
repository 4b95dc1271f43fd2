/// A person's command about their running watch that reached the notifier: by SMS, or by a link.
public struct WatchCommand: PersonPayload {
    public enum Action: String, Sendable, Codable, CaseIterable {
        /// Extend it, counted from its deadline or, during its grace, from now.
        case extend
    }

    public var person: PersonID
    public var watch: WatchID
    public var action: Action
    /// Length of the extension.
    public var seconds: Int64
    public var at: Timestamp
    public var trace: String

    public init(
        person: PersonID, watch: WatchID, action: Action, seconds: Int64 = 0, at: Timestamp,
        trace: String = ""
    ) {
        self.person = person
        self.watch = watch
        self.action = action
        self.seconds = seconds
        self.at = at
        self.trace = trace
    }
}
