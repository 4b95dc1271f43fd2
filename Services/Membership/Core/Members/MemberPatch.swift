import Model

/// Fields of a membership that a request sets. Nil = not given.
public struct MemberPatch: Hashable, Sendable {
    public var role: Role?
    public var sharing: Sharing?
    public var precision: Precision?

    public init() {}
}
