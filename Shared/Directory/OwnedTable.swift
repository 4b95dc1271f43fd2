import Hashing
import Model

/// Something that belongs to a circle, a person or a set: a zone or a message.
package protocol OwnedItem: Hashable, Sendable {
    associatedtype IDKind: IdentifierKind
    var id: Identifier<IDKind> { get }
    var owner: ZoneOwner { get }
    var version: Int64 { get }
}

extension Zone: OwnedItem {}
extension ZoneMessage: OwnedItem {}

/// Zones or messages by id and by owner.
package struct OwnedTable<Item: OwnedItem>: Hashable, Sendable {
    package typealias ID = Identifier<Item.IDKind>

    private var rows: [ID: Item] = [:]
    /// Ascending, never empty.
    private var idsOfOwner: [ZoneOwner: [ID]] = [:]

    var isEmpty: Bool { rows.isEmpty }
    /// In arbitrary order.
    var keys: some Sequence<ID> { rows.keys }
    /// All items, ids ascending. O(n log n).
    var sorted: [Item] { rows.values.sorted { $0.id < $1.id } }

    /// The number of all items.
    package var count: Int { rows.count }

    /// The item with an id. Setting it to nil removes it.
    package internal(set) subscript(id: ID) -> Item? {
        get { rows[id] }
        set {
            if let old = rows[id] { idsOfOwner.remove(id, under: old.owner) }
            rows[id] = newValue
            if let newValue { idsOfOwner.insert(id, under: newValue.owner) }
        }
    }

    /// The ids of an owner's items, ascending. Copies no items, unlike ``items(of:)``.
    package func ids(of owner: ZoneOwner) -> [ID] { idsOfOwner[owner] ?? [] }

    /// The items of an owner, ids ascending.
    package func items(of owner: ZoneOwner) -> [Item] { ids(of: owner).compactMap { rows[$0] } }

    /// The number of an owner's items.
    package func count(of owner: ZoneOwner) -> Int { idsOfOwner[owner]?.count ?? 0 }

    /// A digest of ids and versions of an owner's items: equal if and only if none was added,
    /// changed or removed.
    package func digest(of owner: ZoneOwner) -> String {
        let parts = ids(of: owner).flatMap { id -> [HashPart] in
            [.id(id.raw), .number(rows[id]?.version ?? 0)]
        }
        return Hash.id(of: parts).text
    }
}
