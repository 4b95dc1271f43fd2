import Foundation
import Parsing

/// The API of docs/openapi.yaml, for tests that generate requests.
public struct Contract {
    /// A method and a path.
    public struct Operation: Sendable {
        public let id: String
        /// In upper case.
        public let method: String
        /// With its parameters in braces.
        public let path: String
        /// The service that handles it.
        public let service: String
        public let parameters: [Parameter]
        /// Nil if it has no body.
        public let body: Body?
        public let security: Security
    }

    /// Whether an operation needs credentials in a header.
    public enum Security: Sendable { case none, optional, required }

    public struct Parameter: Sendable {
        public enum Place: String, Sendable { case path, query, header }

        public let name: String
        public let place: Place
        public let isRequired: Bool
        public let schema: JSON
    }

    public struct Body: Sendable {
        /// The first documented one.
        public let contentType: String
        public let schema: JSON
        /// An example, otherwise a value with everything that the schema requires.
        public let sample: JSON
    }

    public let operations: [Operation]
    private let document: JSON

    /// Reads the document of this repository.
    ///
    /// - Throws: ``TestFailure`` for unreadable content and unresolved references
    public init() throws {
        let file = Programs.top.appending(path: "docs/openapi.yaml")
        try self.init(document: YAML.parse(String(contentsOf: file, encoding: .utf8)))
    }

    init(document: JSON) throws {
        self.document = document
        var found: [Operation] = []
        for path in document["paths"]?.object ?? [] {
            for method in path.value.object ?? []
            where ["get", "post", "put", "patch", "delete"].contains(method.key) {
                found.append(
                    try Self.operation(method, at: path.key, of: path.value, in: document))
            }
        }
        operations = found
    }

    private static func operation(
        _ method: JSON.Member, at path: String, of item: JSON, in document: JSON
    ) throws -> Operation {
        let shared = (item["parameters"]?.array ?? []) + (method.value["parameters"]?.array ?? [])
        let parameters = try shared.map { reference -> Parameter in
            let parameter = try resolve(reference, in: document)
            guard let name = parameter["name"]?.string,
                let place = Parameter.Place(rawValue: parameter["in"]?.string ?? "")
            else { throw TestFailure("\(path): a parameter without name or place") }
            return Parameter(
                name: name, place: place, isRequired: parameter["required"] == true,
                schema: parameter["schema"] ?? .object([]))
        }
        var body: Body?
        if let reference = method.value["requestBody"] {
            let content = try resolve(reference, in: document)["content"]?.object?.first
            guard let content else { throw TestFailure("\(path): a body without content") }
            let schema = content.value["schema"] ?? .object([])
            let example =
                content.value["example"]
                ?? content.value["examples"]?.object?.first?.value["value"]
            body = Body(
                contentType: content.key, schema: schema,
                sample: try example ?? sample(schema, in: document))
        }
        // Another service may serve one method of a path.
        guard let id = method.value["operationId"]?.string,
            let service = method.value["x-service"]?.string ?? item["x-service"]?.string
        else { throw TestFailure("\(path): no operationId or x-service") }
        return Operation(
            id: id, method: method.key.uppercased(), path: path, service: service,
            parameters: parameters, body: body, security: security(of: method.value))
    }

    private static func security(of operation: JSON) -> Security {
        guard let schemes = operation["security"]?.array else { return .required }
        return schemes.isEmpty ? .none : schemes.contains(.object([])) ? .optional : .required
    }

    /// The values of schemas that consist of an enum, by their names.
    public var enums: [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for schema in document["components"]?["schemas"]?.object ?? [] {
            guard let values = schema.value["enum"]?.array else { continue }
            found[schema.key] = Set(values.compactMap(\.string))
        }
        return found
    }

    // MARK: Values of a schema

    /// Resolves a `$ref`; returns other values unchanged.
    private static func resolve(_ node: JSON, in document: JSON) throws -> JSON {
        var node = node
        while let reference = node["$ref"]?.string {
            var found: JSON? = document
            for name in reference.split(separator: "/").dropFirst() { found = found?[String(name)] }
            guard let found else { throw TestFailure("\(reference) leads to nothing") }
            node = found
        }
        return node
    }

    /// A value that matches a schema, as far as its keywords describe it.
    public func sample(_ schema: JSON) throws -> JSON { try Self.sample(schema, in: document) }

    private static func sample(_ reference: JSON, in document: JSON) throws -> JSON {
        let schema = try resolve(reference, in: document)
        let given =
            schema["example"] ?? schema["examples"]?[0] ?? schema["const"] ?? schema["enum"]?[0]
        if let given { return given }
        var members: [JSON.Member] = []
        for part in schema["allOf"]?.array ?? [] {
            let value = try sample(part, in: document)
            guard let more = value.object else { return value }
            members = merged(members, more)
        }
        if let first = schema["oneOf"]?[0] ?? schema["anyOf"]?[0], schema["properties"] == nil {
            return try sample(first, in: document)
        }
        switch type(of: schema) {
        case "object":
            let needed = [schema, schema["oneOf"]?[0] ?? .null].flatMap {
                $0["required"]?.array ?? []
            }
            for name in needed.compactMap(\.string) where members.allSatisfy({ $0.key != name }) {
                guard let property = schema["properties"]?[name] else { continue }
                members.append(.init(name, try sample(property, in: document)))
            }
            return .object(members)
        case "array":
            let count = max(1, schema["minItems"]?.int ?? 1)
            let item = try sample(schema["items"] ?? .object([]), in: document)
            return .array(Array(repeating: item, count: count))
        case "integer", "number":
            return schema["default"] ?? .integer(Int64(schema["minimum"]?.int ?? 1))
        case "boolean": return .bool(true)
        case "null": return .null
        default:
            if let text = schema["default"] { return text }
            return schema["format"] == "date-time" ? "2026-11-20T10:20:00.000Z" : "x"
        }
    }

    private static func type(of schema: JSON) -> String {
        if let name = schema["type"]?.string ?? schema["type"]?[0]?.string { return name }
        return schema["properties"] != nil || schema["allOf"] != nil ? "object" : "string"
    }

    private static func merged(_ old: [JSON.Member], _ new: [JSON.Member]) -> [JSON.Member] {
        old.filter { member in new.allSatisfy { $0.key != member.key } } + new
    }

    // MARK: Numbers and times within a value

    /// Whether a schema describes a number or a time.
    public enum Leaf: Sendable { case number, time }

    /// Every number and time that a schema allows, each inside a value whose other parts are those
    /// of `base`, or samples: `make` returns the value with a replacement at that place.
    public func leaves(
        of schema: JSON, in base: JSON, depth: Int = 0
    ) throws -> [(leaf: Leaf, make: (JSON) -> JSON)] {
        let schema = try Self.resolve(schema, in: document)
        guard depth < 12 else { return [] }
        var found: [(leaf: Leaf, make: (JSON) -> JSON)] = []
        for part in schema["allOf"]?.array ?? [] {
            found += try leaves(of: part, in: base, depth: depth + 1)
        }
        for part in (schema["oneOf"]?.array ?? []) + (schema["anyOf"]?.array ?? []) {
            let part = try Self.resolve(part, in: document)
            let sample = try sample(part)
            let own = sample.object.map { JSON.object(Self.merged(base.object ?? [], $0)) }
            found += try leaves(of: part, in: own ?? sample, depth: depth + 1)
        }
        switch Self.type(of: schema) {
        case "integer", "number": found.append((.number, { $0 }))
        case "string" where schema["format"] == "date-time": found.append((.time, { $0 }))
        case "object":
            for property in schema["properties"]?.object ?? [] {
                let inner = try base[property.key] ?? sample(property.value)
                for entry in try leaves(of: property.value, in: inner, depth: depth + 1) {
                    found.append(
                        (
                            entry.leaf,
                            { value in
                                let member = JSON.Member(property.key, entry.make(value))
                                return .object(Self.merged(base.object ?? [], [member]))
                            }
                        ))
                }
            }
        case "array":
            guard let items = schema["items"] else { break }
            let values = try base.array ?? [sample(items)]
            // Two different values: a latitude is not a longitude.
            for index in values.indices.prefix(2) {
                for entry in try leaves(of: items, in: values[index], depth: depth + 1) {
                    found.append(
                        (
                            entry.leaf,
                            { value in
                                var changed = values
                                changed[index] = entry.make(value)
                                return .array(changed)
                            }
                        ))
                }
            }
        default: break
        }
        return found
    }
}
