extension Rule {
    /// docs/openapi.yaml describes exactly the operations that services handle, and the reverse
    /// proxy routes each path to the service that the description names.
    static let apiMatchesCode = Rule(name: "docs/openapi.yaml and the code match") { files in
        guard let description = files.first(where: { $0.path == "docs/openapi.yaml" }) else {
            return []
        }
        let described = Operation.described(in: description)
        let handled = files.flatMap(Operation.handled)
        // Status and streams are served by the host, with equal paths for every service.
        let expected = described.filter { !$0.key.path.isServedByHost }
        let missing = handled.filter { described[$0.operation] == nil }.map {
            Finding(path: $0.file, line: 1, text: "\($0.operation) is not described")
        }
        let known = Set(handled.map(\.operation))
        let unhandled = expected.filter { !known.contains($0.key) }.map {
            Finding(path: description.path, line: $0.value, text: "\($0.key) has no handler")
        }
        return missing + unhandled.sorted { $0.line < $1.line }
            + proxyFindings(files, described, in: description)
    }

    /// A schema of docs/openapi.yaml with the name of an enum lists exactly its raw values.
    static let apiEnumsMatch = Rule(name: "enums in docs/openapi.yaml match the code") { files in
        guard let description = files.first(where: { $0.path == "docs/openapi.yaml" }) else {
            return []
        }
        let described = EnumValues.described(in: description)
        return files.flatMap(EnumValues.declared).flatMap { declared -> [Finding] in
            guard let schema = described.first(where: { $0.name == declared.name }) else {
                return []
            }
            let missing = declared.values.subtracting(schema.values).map { "lacks \($0)" }
            let surplus = schema.values.subtracting(declared.values).map {
                "has \($0), which the code has not"
            }
            return (missing + surplus).sorted().map {
                Finding(path: description.path, line: schema.line, text: "\(declared.name) \($0)")
            }
        }
    }

    /// Compares the description with the routes of the nginx configuration.
    private static func proxyFindings(
        _ files: [SourceFile], _ described: [Operation: Int], in description: SourceFile
    ) -> [Finding] {
        guard let file = files.first(where: { $0.path == "Services/CLI/Suite/Routes.swift" })
        else { return [] }
        var routed: Set<Operation> = []
        var service = ""
        for line in file.lines {
            if let match = line.firstMatch(of: /^\x20+\.(\w+),$|\.list\(\.(\w+)|list\(\.(\w+),/) {
                service = String(match.output.1 ?? match.output.2 ?? match.output.3 ?? "")
            }
            for match in line.matches(of: /"(\/[^"\\]*)"/) where !service.isEmpty {
                routed.insert(Operation(service, "", String(match.output.1)))
            }
        }
        let paths = Set(described.keys.map { Operation($0.service, "", $0.path) })
        let unrouted = paths.subtracting(routed).map {
            Finding(path: file.path, line: 1, text: "\($0) has no proxy route")
        }
        let surplus = routed.subtracting(paths).map {
            Finding(path: description.path, line: 1, text: "\($0) has a proxy route only")
        }
        return unrouted.sorted { $0.text < $1.text } + surplus.sorted { $0.text < $1.text }
    }
}

extension String {
    fileprivate var isServedByHost: Bool {
        ["/v1/status/", "/v1/streams/", "/v1/held/", "/v1/tail/"].contains(where: hasPrefix)
    }
}

/// A method on a path of a service; names of parameters do not count.
struct Operation: Hashable, CustomStringConvertible {
    let service: String
    let method: String
    let path: String

    init(_ service: String, _ method: String, _ path: String) {
        self.service = service
        self.method = method
        self.path = path.replacing(/\{\w+\}/, with: "{}")
    }

    var description: String {
        (method.isEmpty ? "" : method + " ") + path + " of " + service
    }

    /// The operations of an OpenAPI document in its usual indentation, with their lines.
    static func described(in file: SourceFile) -> [Operation: Int] {
        var operations: [Operation: Int] = [:]
        var path = ""
        var service = ""
        for (index, line) in file.lines.enumerated() {
            if line == "components:" { break }
            if let match = line.wholeMatch(of: /\x20{2}(\/\S*):/) { path = String(match.output.1) }
            if let match = line.wholeMatch(of: /\x20{4}x-service: (\w+)/) {
                service = String(match.output.1)
            }
            if let match = line.wholeMatch(of: /\x20{4}(get|post|put|patch|delete):/) {
                operations[Operation(service, String(match.output.1), path)] = index + 1
            }
        }
        return operations
    }

    /// The operations in the routing tables of a service's daemon.
    static func handled(in file: SourceFile) -> [(operation: Operation, file: String)] {
        guard file.isSwift, file.folders.count >= 3, file.folders[0] == "Services",
            file.folders[2] == "Daemon"
        else { return [] }
        let text = file.lines.joined(separator: "\n")
        let entry = /\(\s*\.(get|post|put|patch|delete),\s*"(\/[^"]*)"/
        return text.matches(of: entry).map { match in
            let service = file.folders[1].lowercased()
            return (Operation(service, String(match.output.1), String(match.output.2)), file.path)
        }
    }
}

/// The raw values of a public enum, or of the schema with its name.
private struct EnumValues {
    let name: String
    let line: Int
    var values: Set<Substring> = []

    /// Schemas that consist of one `enum` in brackets, in the usual indentation.
    static func described(in file: SourceFile) -> [EnumValues] {
        var found: [EnumValues] = []
        var isListed = false
        for (index, line) in file.lines.enumerated() {
            if let match = line.prefixMatch(of: /\x20{4}(\w+):/) {
                found.append(EnumValues(name: String(match.output.1), line: index + 1))
            }
            if line.contains(/^\x20{6}enum:|^\x20{4}\w+: { enum:/) { isListed = true }
            guard isListed, !found.isEmpty else { continue }
            let list =
                line.firstMatch(of: /\[(.*)/)?.output.1 ?? (line.contains("enum:") ? "" : line)
            for word in list.prefix(while: { $0 != "]" }).matches(of: /[\w-]+/) {
                found[found.count - 1].values.insert(word.output)
            }
            isListed = !line.contains("]")
        }
        return found.filter { !$0.values.isEmpty }
    }

    /// Public enums with raw strings at the top level of a file.
    static func declared(in file: SourceFile) -> [EnumValues] {
        guard file.isSwift, ["Shared", "Services"].contains(file.folders.first) else { return [] }
        var found: [EnumValues] = []
        var isInside = false
        for (index, line) in file.lines.enumerated() {
            if let match = line.prefixMatch(of: /public enum (\w+): String\b/) {
                found.append(EnumValues(name: String(match.output.1), line: index + 1))
                isInside = true
            }
            guard isInside else { continue }
            if let cases = line.firstMatch(of: /^(?:\x20{4}|public enum.*{ )case ([^}]*)/) {
                for word in cases.output.1.split(separator: ",") {
                    // The last of `name`, name = "raw-value".
                    let last = word.matches(of: /[\w-]+/).last?.output ?? ""
                    found[found.count - 1].values.insert(last)
                }
            }
            isInside = !line.hasPrefix("}") && !line.hasSuffix(" }")
        }
        return found
    }
}
