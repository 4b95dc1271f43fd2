extension JSON {
    /// Decodes a value from the tree.
    ///
    /// Integers may be written as `5.0`. Unknown members are ignored.
    ///
    /// - Throws: ``ParseError`` with the `path` of the first value that does not match
    public func decode<Value: Decodable>(_ type: Value.Type) throws(ParseError) -> Value {
        do {
            return try unwrap(type, path: [])
        } catch let error as ParseError {
            throw error
        } catch let error as DecodingError {
            throw ParseError(decoding: error)
        } catch {
            throw ParseError(code: .mismatch, operation: "decode", message: "\(error)")
        }
    }

    /// Decodes standard types directly and all others with their `init(from:)`.
    func unwrap<Value: Decodable>(_ type: Value.Type, path: [any CodingKey]) throws -> Value {
        let plain: Any?
        switch type {
        case is String.Type: plain = string
        case is Bool.Type: plain = bool
        case is Double.Type: plain = double
        case is Float.Type: plain = double.map { Float($0) }
        case let type as any FixedWidthInteger.Type: plain = integer(type)
        default: return try Value(from: TreeDecoder(json: self, codingPath: path))
        }
        guard let value = plain as? Value else {
            throw mismatch(type, path)
        }
        return value
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        switch self {
        case .integer(let value): Number(exactly: value)
        case .number(let value): Number(exactly: value)
        default: nil
        }
    }

    private func mismatch(_ type: Any.Type, _ path: [any CodingKey]) -> DecodingError {
        let text =
            isNull
            ? "\(name(of: type)) expected, not null"
            : "\(name(of: type)) expected, not \(self.name)"
        return .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }

    private func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Bool.Type: "true or false"
        case is Double.Type, is Float.Type: "number"
        default: "integer (\(type))"
        }
    }

    /// Kind of the value for error messages.
    var name: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "this number"
        case .string: "text"
        case .array: "array"
        case .object: "object"
        }
    }
}

struct TreeDecoder: Decoder {
    let json: JSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else {
            throw DecodingError.typeMismatch(
                [String: JSON].self,
                .init(
                    codingPath: codingPath, debugDescription: "object expected, not \(json.name)"))
        }
        return KeyedDecodingContainer(MemberDecoder(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = json else {
            throw DecodingError.typeMismatch(
                [JSON].self,
                .init(codingPath: codingPath, debugDescription: "array expected, not \(json.name)"))
        }
        return ElementDecoder(values: values, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ValueDecoder(json: json, codingPath: codingPath)
    }
}

private struct ValueDecoder: SingleValueDecodingContainer {
    let json: JSON
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { json.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try json.unwrap(type, path: codingPath)
    }
}
