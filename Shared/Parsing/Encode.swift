extension JSON {
    /// Encodes a value as a tree, with members in encoding order.
    ///
    /// Optional members that are nil are omitted. Integers that do not fit `Int64` become
    /// ``number(_:)``.
    ///
    /// - Throws: ``ParseError`` with the `path` of a number that is not finite
    public static func encode(_ value: some Encodable) throws(ParseError) -> JSON {
        let slot = Slot()
        do {
            try slot.encode(value, path: [])
        } catch let error as ParseError {
            throw error
        } catch let error as EncodingError {
            throw ParseError(encoding: error)
        } catch {
            throw ParseError(code: .inexpressible, operation: "encode", message: "\(error)")
        }
        return slot.json
    }
}

/// A node of the tree under construction. Containers fill it after it has joined its parent.
final class Slot {
    private enum Content {
        case empty
        case value(JSON)
        case members([(key: String, slot: Slot)])
        case elements([Slot])
    }

    private var content: Content = .empty

    var json: JSON {
        switch content {
        case .empty: .object([])
        case .value(let json): json
        case .members(let members): .object(members.map { JSON.Member($0.key, $0.slot.json) })
        case .elements(let slots): .array(slots.map(\.json))
        }
    }

    var elementCount: Int {
        if case .elements(let slots) = content { slots.count } else { 0 }
    }

    func set(_ json: JSON) { content = .value(json) }

    func beginMembers() {
        if case .members = content { return }
        content = .members([])
    }

    func beginElements() {
        if case .elements = content { return }
        content = .elements([])
    }

    func member(_ key: String) -> Slot {
        let slot = Slot()
        guard case .members(var members) = content else { return slot }
        content = .empty
        members.append((key, slot))
        content = .members(members)
        return slot
    }

    func element() -> Slot {
        let slot = Slot()
        guard case .elements(var slots) = content else { return slot }
        content = .empty
        slots.append(slot)
        content = .elements(slots)
        return slot
    }

    func encode(_ value: some Encodable, path: [any CodingKey]) throws {
        switch value {
        case let text as String: set(.string(text))
        case let flag as Bool: set(.bool(flag))
        case let number as Double: try set(number, path: path)
        case let number as Float: try set(Double(number), path: path)
        case let number as any BinaryInteger: set(integer: number)
        default: try value.encode(to: SlotEncoder(slot: self, codingPath: path))
        }
    }

    private func set(integer: some BinaryInteger) {
        set(Int64(exactly: integer).map { .integer($0) } ?? .number(Double(integer)))
    }

    private func set(_ number: Double, path: [any CodingKey]) throws {
        guard number.isFinite else {
            throw ParseError(
                code: .inexpressible, operation: "encode", message: "number is not finite",
                path: pathText(path))
        }
        set(.number(number))
    }
}

struct SlotEncoder: Encoder {
    let slot: Slot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.beginMembers()
        return KeyedEncodingContainer(MemberEncoder(slot: slot, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.beginElements()
        return ElementEncoder(slot: slot, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        ValueEncoder(slot: slot, codingPath: codingPath)
    }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { slot.member(key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try slot.member(key.stringValue).encode(value, path: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(JSONKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: any CodingKey) -> SlotEncoder {
        SlotEncoder(slot: slot.member(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var count: Int { slot.elementCount }

    func encodeNil() { slot.element().set(.null) }

    func encode(_ value: some Encodable) throws {
        let path = codingPath + [JSONKey(count)]
        try slot.element().encode(value, path: path)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> SlotEncoder {
        let path = codingPath + [JSONKey(count)]
        return SlotEncoder(slot: slot.element(), codingPath: path)
    }
}

private struct ValueEncoder: SingleValueEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil() { slot.set(.null) }
    func encode(_ value: some Encodable) throws { try slot.encode(value, path: codingPath) }
}
