/// Fields of an entity that a request sets. All others keep their values.
///
///     var patch = Patch<Person>()
///     patch.name = "Anna"
///     patch.primaryDevice = .some(nil)  // removes it
///     patch.apply(to: &person)
@dynamicMemberLookup
public struct Patch<Entity>: Sendable {
    private struct Change: Sendable {
        let path: PartialKeyPath<Entity> & Sendable
        let value: any Sendable
        let apply: @Sendable (inout Entity) -> Void
    }

    private var changes: [Change] = []

    public init() {}

    /// The value that a field is set to; nil if it is not set.
    public subscript<Value: Sendable>(
        dynamicMember path: WritableKeyPath<Entity, Value> & Sendable
    ) -> Value? {
        get {
            guard let change = changes.last(where: { $0.path == path }) else { return nil }
            return change.value as? Value
        }
        set {
            changes.removeAll { $0.path == path }
            guard let newValue else { return }
            changes.append(Change(path: path, value: newValue) { $0[keyPath: path] = newValue })
        }
    }

    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a field is set.
    public func sets(_ path: PartialKeyPath<Entity>) -> Bool {
        changes.contains { $0.path == path }
    }

    /// Sets fields of a part of the entity; the part's other fields keep their values.
    public mutating func set<Part>(
        _ path: WritableKeyPath<Entity, Part> & Sendable, _ patch: Patch<Part>
    ) {
        guard !patch.isEmpty else { return }
        changes.append(Change(path: path, value: patch) { patch.apply(to: &$0[keyPath: path]) })
    }

    public func apply(to entity: inout Entity) {
        for change in changes { change.apply(&entity) }
    }
}
