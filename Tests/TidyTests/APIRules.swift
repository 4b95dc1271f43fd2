extension Rule {
    /// docs/openapi.yaml is the contract: what a service answers stands in it and nothing else; the
    /// reverse proxy leads each path to the service that it names.
    static let apiIsDescribed = Rule(name: "the API is as docs/openapi.yaml says") { files in
        guard let description = files.first(where: { $0.path == "docs/openapi.yaml" }) else {
            return []
        }
        let described = Operation.described(in: description)
        let answered = files.flatMap(Operation.answered)
        // Pages of state and streams are the host's, the same for every service.
        let expected = described.filter { !$0.key.path.isOfTheHost }
        let missing = answered.filter { described[$0.operation] == nil }.map {
            Finding(path: $0.file, line: 1, text: "\($0.operation) is not described")
        }
        let known = Set(answered.map(\.operation))
        let unanswered = expected.filter { !known.contains($0.key) }.map {
            Finding(path: description.path, line: $0.value, text: "nobody answers \($0.key)")
        }
        return missing + unanswered.sorted { $0.line < $1.line }
            + proxyFindings(files, described, in: description)
    }

    /// A schema of docs/openapi.yaml that has the name of an enumeration has all of its words.
    static let apiHasAllWords = Rule(name: "the API describes all words") { files in
        guard let description = files.first(where: { $0.path == "docs/openapi.yaml" }) else {
            return []
        }
        let described = Words.described(in: description)
        return files.flatMap(Words.spoken).flatMap { spoken -> [Finding] in
            guard let schema = described.first(where: { $0.name == spoken.name }) else { return [] }
            let missing = spoken.words.subtracting(schema.words).map { "misses \($0)" }
            let surplus = schema.words.subtracting(spoken.words).map { "invents \($0)" }
            return (missing + surplus).sorted().map {
                Finding(path: description.path, line: schema.line, text: "\(spoken.name) \($0)")
            }
        }
    }

    /// Compares with the list from which nginx's configuration is made.
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
            Finding(path: file.path, line: 1, text: "\($0) is not led to its service")
        }
        let surplus = routed.subtracting(paths).map {
            Finding(path: description.path, line: 1, text: "\($0) is led to a service")
        }
        return unrouted.sorted { $0.text < $1.text } + surplus.sorted { $0.text < $1.text }
    }
}

extension String {
    fileprivate var isOfTheHost: Bool {
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

    /// What an OpenAPI document in its usual indentation describes, with the line.
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

    /// What the routing tables of a service's daemon name.
    static func answered(in file: SourceFile) -> [(operation: Operation, file: String)] {
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

/// The words that a public enumeration, or the schema of the same name, may be.
private struct Words {
    let name: String
    let line: Int
    var words: Set<Substring> = []

    /// Schemas that are nothing but an `enum` in brackets, in the usual indentation.
    static func described(in file: SourceFile) -> [Words] {
        var found: [Words] = []
        var isListed = false
        for (index, line) in file.lines.enumerated() {
            if let match = line.prefixMatch(of: /\x20{4}(\w+):/) {
                found.append(Words(name: String(match.output.1), line: index + 1))
            }
            if line.contains(/^\x20{6}enum:|^\x20{4}\w+: { enum:/) { isListed = true }
            guard isListed, !found.isEmpty else { continue }
            let list =
                line.firstMatch(of: /\[(.*)/)?.output.1 ?? (line.contains("enum:") ? "" : line)
            for word in list.prefix(while: { $0 != "]" }).matches(of: /[\w-]+/) {
                found[found.count - 1].words.insert(word.output)
            }
            isListed = !line.contains("]")
        }
        return found.filter { !$0.words.isEmpty }
    }

    /// Public enumerations of strings at the top of a file.
    static func spoken(in file: SourceFile) -> [Words] {
        guard file.isSwift, ["Shared", "Services"].contains(file.folders.first) else { return [] }
        var found: [Words] = []
        var isInside = false
        for (index, line) in file.lines.enumerated() {
            if let match = line.prefixMatch(of: /public enum (\w+): String\b/) {
                found.append(Words(name: String(match.output.1), line: index + 1))
                isInside = true
            }
            guard isInside else { continue }
            if let cases = line.firstMatch(of: /^(?:\x20{4}|public enum.*{ )case ([^}]*)/) {
                for word in cases.output.1.split(separator: ",") {
                    // The last of `name`, name = "words".
                    let last = word.matches(of: /[\w-]+/).last?.output ?? ""
                    found[found.count - 1].words.insert(last)
                }
            }
            isInside = !line.hasPrefix("}") && !line.hasSuffix(" }")
        }
        return found
    }
}
