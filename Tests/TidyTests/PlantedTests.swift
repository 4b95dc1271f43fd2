import Testing

/// Applies each rule to text that breaks it and to text that does not.
@Suite struct `A rule` {
    /// The numbers of the lines that break a rule.
    private func lines(
        _ rule: Rule, _ text: String, at path: String = "Shared/Web/Planted.swift"
    ) -> [Int] {
        rule.findings([SourceFile(path: path, text: text)]).map(\.line)
    }

    @Test func `counts columns`() {
        let long = String(repeating: "é", count: 101)
        #expect(lines(.lineLength, "// ok\n// \(long)\n") == [2])
        #expect(lines(.lineLength, String(long.dropLast())) == [])
        #expect(lines(.lineLength, long, at: "README.md") == [])
    }

    @Test(arguments: Rule.unfinishedWords)
    func `finds unfinished work`(word: String) {
        #expect(lines(.unfinishedWork, "a\n// \(word): later\n", at: "scripts/run") == [2])
        #expect(lines(.unfinishedWork, "let s = \"\(word)\"\n") == [1])
        #expect(lines(.unfinishedWork, "// \(word)S and my\(word)\n") == [])
    }

    @Test(arguments: Rule.bannedCallList.map(\.word))
    func `finds a banned call`(word: String) {
        #expect(lines(.bannedCalls, "a\nlet a = b\n\(word) \n") == [3])
        #expect(lines(.bannedCalls, "// \(word)\nlet s = \"\(word)\"\n") == [])
        #expect(lines(.bannedCalls, word, at: "Tests/WebTests/Planted.swift") == [])
    }

    @Test func `finds a banned call only as a whole word`() {
        #expect(lines(.bannedCalls, "footprint(1)\nhost.print(1)\nCivilDate()\n") == [])
        #expect(lines(.bannedCalls, "print(1)", at: "Services/CLI/Planted.swift") == [])
        #expect(lines(.bannedCalls, "let s = \"\\(Int.random(in: 0..<3))\"") == [1])
    }

    @Test func `finds retired words`() {
        let bad = [
            "let d = ReplayDesk()", "// the Ladder climbs", "enum E { case vigil }",
            "let moniker_count = 1", "// records that were put aside", "print(\"it is heard\")",
            "struct Meaning {}",
        ]
        for line in bad { #expect(lines(.retiredVocabulary, "a\n\(line)\n") == [2], "\(line)") }
        let good = [
            "let d = helpdesk", "// its meaning", "// stepladders",
            "let text = \"Calm\"",
        ]
        for line in good { #expect(lines(.retiredVocabulary, line) == [], "\(line)") }
        #expect(lines(.retiredVocabulary, "the ladder", at: "docs/planted.md") == [1])
        #expect(lines(.retiredVocabulary, "the ladder", at: "CHANGELOG.md") == [])
    }

    @Test func `finds unbounded numbers from outside`() {
        let bad = [
            "let a = Int64(text)", "let a = Int(parts[3])", "query[name].flatMap(Int64.init)",
            "let a = Int32((metres * 100).rounded())", "Int(text, radix: 16)",
            "let a = time.microseconds + 1", "headers[name].map { UInt64($0) }",
        ]
        for line in bad { #expect(lines(.boundedNumbers, "a\n\(line)\n") == [2], "\(line)") }
        let good = [
            "let a = Int64(count)", "Int32(exactly: (metres * 100).rounded())",
            "Int32(nearest: metres * 100)", "let a = time.microseconds &+ 1",
            "UntrustedNumber.integer(text, in: 0...9)", "// Int(text)",
        ]
        for line in good { #expect(lines(.boundedNumbers, line) == [], "\(line)") }
        #expect(lines(.boundedNumbers, "Int(text)", at: "Tests/WebTests/A.swift") == [])
    }

    @Test func `finds a path of a developer's machine`() {
        #expect(lines(.noMachinePaths, "a\nlet p = \"/\("work")/wt\"\n") == [2])
        #expect(lines(.noMachinePaths, "source /\("root")/env\n", at: "scripts/run") == [1])
        #expect(lines(.noMachinePaths, "see docs/work/x and https://a.b/work/c\n") == [])
    }

    @Test(arguments: Rule.impureWords)
    func `finds impurities of a core`(word: String) {
        let path = "Services/Timer/Core/Planted.swift"
        #expect(
            lines(.pureCores, "a\nx\(word.hasPrefix(".") ? "" : " ")\(word) \n", at: path) == [2])
        #expect(lines(.pureCores, "// \(word)\n", at: path) == [])
        #expect(lines(.pureCores, "x \(word)", at: "Services/Timer/Daemon/Planted.swift") == [])
    }

    @Test func `finds a foreign import of a core`() {
        let path = "Services/Evaluator/Core/Planted.swift"
        let text =
            "import Model\nimport Foundation\n@preconcurrency import Web\nimport struct Bus.A\n"
        #expect(lines(.pureCores, text, at: path) == [2, 3, 4])
    }

    @Test(arguments: Rule.libmFunctions)
    func `finds libm in evaluators`(word: String) {
        #expect(lines(.pureCores, "a = \(word)1)", at: "Services/Evaluator/Core/A.swift") == [1])
        #expect(lines(.pureGeometry, "a = \(word)1)", at: "Shared/Geometry/Plane.swift") == [1])
        #expect(lines(.pureGeometry, "a = \(word)1)", at: "Shared/Geometry/Preparing.swift") == [])
        #expect(lines(.pureGeometry, "import Glibc", at: "Shared/Geometry/Plane.swift") == [1])
    }

    @Test func `finds an import that points up`() {
        #expect(lines(.importsGoDown, "import Web\nimport Model\nimport Hosting\n") == [1, 3])
        #expect(lines(.importsGoDown, "import Web", at: "Services/Timer/Daemon/A.swift") == [])
        #expect(lines(.importsGoDown, "let a = 1", at: "Shared/Unknown/A.swift") == [1])
        #expect(lines(.coresStayInService, "import TimerCore\n") == [1])
        let path = "Services/Ingest/Daemon/A.swift"
        #expect(
            lines(.coresStayInService, "import IngestCore\nimport TimerCore\n", at: path) == [2])
    }

    @Test(arguments: [
        "for (key, value) in presence {", "for key in presence.keys {", "presence.forEach {",
        "let a = state.presence.map { $0 }", "return presence.values.first { $0.isInside }",
        "for zone in seen {", "for zone in core.seen where zone.active {",
        "seen.compactMap(\\.name)",
    ])
    func `finds iteration over a dictionary or set`(use: String) {
        let declared = "var presence: [Key: Presence] = [:]\nvar seen = Set<ZoneID>()\n"
        let path = "Services/Evaluator/Core/Planted.swift"
        #expect(lines(.orderedIteration, "\(declared)\(use)\n", at: path) == [3])
    }

    @Test(arguments: [
        "for key in presence.keys.sorted() {", "for zone in zones {", "presence[key] = nil",
        "if seen.contains(zone) {", "presence.values.contains { $0.isInside }", "seen.sorted()",
    ])
    func `accepts iteration in a defined order`(use: String) {
        let declared = "var presence: [Key: Presence] = [:]\nvar seen = Set<ZoneID>()\n"
        let path = "Services/Evaluator/Core/Planted.swift"
        #expect(
            lines(.orderedIteration, "\(declared)var zones: [Zone] = []\n\(use)\n", at: path) == [])
    }

    @Test func `finds an undocumented setting`() {
        let code = SourceFile(
            path: "Shared/Web/A.swift", text: "a(\"JAGA_ONE\")\nb(\"JAGA_TWO_MS\")\n")
        let document = SourceFile(path: "docs/settings.md", text: "| `JAGA_ONE` | one |\n")
        let findings = Rule.settingsAreDocumented.findings([code, document])
        #expect(findings.map(\.text) == ["JAGA_TWO_MS"])
        #expect(findings.map(\.line) == [2])
    }

    @Test func `finds an alert with an unknown metric or without documentation`() {
        let rules = SourceFile(
            path: "deploy/prometheus/rules/alerts.yml",
            text: """
                - alert: Known
                  expr: jaga_ticks_total > jaga_bus_gaps_total
                - alert: Odd
                  expr: jaga_tick_total > 1
                """)
        let code = SourceFile(
            path: "Shared/Bus/Planted.swift",
            text: "counter(\"jaga_ticks_total\")\ntotal(\"gaps\", 1)\n")
        let guide = SourceFile(path: "docs/operating.md", text: "| `Known` | look |\n")
        let findings = Rule.alertsUseKnownMetrics.findings([rules, code, guide])
        #expect(findings.map(\.line) == [3, 4])
    }

    @Test func `finds a broken link`() {
        let text = "[a](../Package.swift)\n[b](gone.md#part) and [c](https://example.org)\n"
        #expect(lines(.linksResolve, text, at: "docs/planted.md") == [2])
    }
}
