import Testing

@Suite struct `The repository` {
    @Test(arguments: Rule.all)
    func `keeps every rule`(rule: Rule) {
        var found: [Ratchet.Key: [Finding]] = [:]
        for finding in rule.findings(SourceFile.all) {
            found[.init(rule: rule.name, path: finding.path), default: []].append(finding)
        }
        let known = Ratchet.allowed.keys.filter { $0.rule == rule.name }
        for key in Set(found.keys).union(known) {
            let findings = found[key] ?? []
            let allowed = Ratchet.allowed[key] ?? 0
            #expect(
                findings.count <= allowed,
                "\(findings.map(\.description).joined(separator: "\n"))")
            #expect(
                findings.count >= allowed,
                "\(key.path): better than the ratchet says (\(allowed)); take its number down")
        }
    }

    @Test func `is found whole`() {
        let paths = Set(SourceFile.all.map(\.path))
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains("Makefile"))
        #expect(paths.contains("Shared/Model/Event.swift"))
        #expect(paths.contains("Tests/TidyTests/RepositoryTests.swift"))
    }

    @Test func `is made of short functions and files`() throws {
        let files = SourceFile.all.filter { $0.isSwift && Rule.isOurs($0) }
        let functions = files.flatMap { Function.all(in: $0) }.map(\.lines).sorted()
        let lengths = files.map(\.lines.count).sorted()
        try #require(functions.count > 20)
        #expect(functions[functions.count * 95 / 100] <= 30, "lines, 95 % of functions")
        #expect(lengths[lengths.count / 2] <= 130, "lines, half of the files")
    }

    @Test func `lists in the ratchet only rules that exist`() {
        let names = Set(Rule.all.map(\.name))
        #expect(names.count == Rule.all.count)
        for key in Ratchet.allowed.keys { #expect(names.contains(key.rule)) }
    }
}
