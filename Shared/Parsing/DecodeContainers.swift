/// Decodes the members of an object.
struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [JSON.Member]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try required(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try required(key).unwrap(type, path: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        TreeDecoder(json: value("super") ?? .null, codingPath: codingPath + [JSONKey("super")])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> TreeDecoder {
        TreeDecoder(json: try required(key), codingPath: codingPath + [key])
    }

    private func value(_ name: String) -> JSON? { members.first { $0.key == name }?.value }

    private func required(_ key: Key) throws -> JSON {
        guard let value = value(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "member is missing"))
        }
        return value
    }
}

/// Decodes the values of an array in order.
struct ElementDecoder: UnkeyedDecodingContainer {
    let values: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [JSON], codingPath: [any CodingKey]) {
        self.values = values
        self.codingPath = codingPath
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    mutating func decodeNil() throws -> Bool {
        guard try current().isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current().unwrap(type, path: codingPath + [JSONKey(currentIndex)])
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> TreeDecoder {
        let decoder = TreeDecoder(
            json: try current(), codingPath: codingPath + [JSONKey(currentIndex)])
        currentIndex += 1
        return decoder
    }

    private func current() throws -> JSON {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                JSON.self,
                .init(
                    codingPath: codingPath + [JSONKey(currentIndex)],
                    debugDescription: "value is missing"))
        }
        return values[currentIndex]
    }
}
