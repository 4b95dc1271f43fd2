extension Rule {
    /// The iteration order of dictionaries and sets differs between processes, so an evaluator that
    /// iterates over one is not deterministic. The rule recognises names that the evaluator's core
    /// declares as a dictionary or set.
    static let orderedIteration = Rule(name: "the evaluator iterates in a defined order") {
        files in
        let core = files.filter { $0.isSwift && $0.path.hasPrefix("Services/Evaluator/Core/") }
        let names = Set(core.flatMap { $0.code.compactMap(unorderedName) })
        return core.flatMap { file in
            file.code.enumerated().compactMap { index, line in
                unorderedUse(of: names, in: line).map {
                    Finding(path: file.path, line: index + 1, text: $0)
                }
            }
        }
    }

    /// The name that a line declares as a dictionary or set, by type, value or parameter.
    private static func unorderedName(_ line: Substring) -> String? {
        let typed = /(\w+)\s*:\s*(?:inout\s+)?(?:\[[^\[\]]+:[^\]]*\]|Set<|Dictionary<)/
        if let match = line.firstMatch(of: typed) { return String(match.output.1) }
        let valued = /(\w+)\s*=\s*(?:\[:\]|\[[^\[\]]+:[^\]]*\]\(|Set[<(]|Dictionary[<(])/
        return line.firstMatch(of: valued).map { String($0.output.1) }
    }

    private static func unorderedUse(of names: Set<String>, in line: Substring) -> String? {
        if let match = line.firstMatch(of: /\bfor\s+.*\bin\s+(?:[\w.]*\.)?(\w+)\s*(?:\{|where|$)/),
            names.contains(String(match.output.1))
        {
            return "iterates over \(match.output.1)"
        }
        let walk = /\b(\w+)\.(forEach|map|compactMap|flatMap|first|reduce|enumerated)\b/
            .wordBoundaryKind(.simple)
        for match in line.matches(of: walk) where names.contains(String(match.output.1)) {
            return "\(match.output.1).\(match.output.2)"
        }
        let harmless = /^(?:\.(?:sorted|count|isEmpty|contains|allSatisfy|min|max)\b|\s*=)/
        let member = /\b(\w+)\.(keys|values)\b/.wordBoundaryKind(.simple)
        for match in line.matches(of: member)
        where names.contains(String(match.output.1)) {
            if line[match.range.upperBound...].firstMatch(of: harmless) == nil {
                return "\(match.output.1).\(match.output.2) without .sorted"
            }
        }
        return nil
    }
}
