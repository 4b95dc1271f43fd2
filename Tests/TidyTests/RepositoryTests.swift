import Testing

@Suite struct `The repository` {
    @Test(arguments: Rule.all)
    func `follows every rule`(rule: Rule) {
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
                "\(key.path): better than the ratchet says (\(allowed)); lower its number")
        }
    }

    @Test func `is read completely`() {
        let paths = Set(SourceFile.all.map(\.path))
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains("Makefile"))
        #expect(paths.contains("Shared/Model/Event.swift"))
        #expect(paths.contains("Tests/TidyTests/RepositoryTests.swift"))
    }

    @Test func `names only existing rules in the ratchet`() {
        let names = Set(Rule.all.map(\.name))
        #expect(names.count == Rule.all.count)
        for key in Ratchet.allowed.keys { #expect(names.contains(key.rule)) }
    }
}
