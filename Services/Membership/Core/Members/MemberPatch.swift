import Model

/// Fields of a membership that a request sets. Nil = not given.
public struct MemberPatch: Hashable, Sendable {
    public var role: Role?
    public var sharing: Sharing?
    public var precision: Precision?
    /// Whether the person agrees to get the test messages of drills.
    public var joinsDrills: Bool?

    public init() {}
}
