import Directory
import Model
import Parsing

/// A field of an entity, and the right that changing it needs.
public struct EditableField<Entity: Sendable>: Sendable {
    public let field: Field<Entity>
    let right: Action

    package init(_ field: Field<Entity>, _ right: Action) {
        self.field = field
        self.right = right
    }
}

extension Array {
    /// The rights that a patch needs, in the order in which they are checked. A patch without
    /// fields needs the last one.
    package func rights<Entity>(
        of patch: Patch<Entity>, _ order: [Action]
    ) -> [Action] where Element == EditableField<Entity> {
        let needed = Set(filter { patch.sets($0.field.path) }.map(\.right))
        return needed.isEmpty ? order.suffix(1) : order.filter(needed.contains)
    }
}
