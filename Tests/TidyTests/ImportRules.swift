/// An import statement.
struct Import {
    let module: String
    /// From 1.
    let line: Int

    static func all(in file: SourceFile) -> [Import] {
        file.code.enumerated().compactMap { index, line in
            var words = line.split(separator: " ")
            while let first = words.first, first.hasPrefix("@") || isModifier(first) {
                words.removeFirst()
            }
            guard words.count >= 2, words[0] == "import" else { return nil }
            let name = words[words.count > 2 ? 2 : 1].prefix { $0 != "." }
            return Import(module: String(name), line: index + 1)
        }
    }

    private static func isModifier(_ word: Substring) -> Bool {
        ["public", "internal", "package", "private", "fileprivate"].contains(word)
    }
}

extension Rule {
    /// All modules from the lowest to the highest; each may import only modules before it.
    static let moduleOrder: [String] = [
        "CLinux", "CZeroMQ", "CSQLite", "CMicroHTTPD", "CCurl", "CGEOS", "CSodium", "CQREncode",
        "CExpat", "CZlib", "CMosquitto", "CJose", "CFido2", "CPango",
        "CSimdjson", "Model", "Collections",
        "Geometry", "Timing", "Hashing", "Parsing", "Directory", "DirectoryViews", "Wire",
        "Dialects", "ZoneFiles", "SignOn", "API",
        "Runtime", "Store", "Web", "MQTT", "Gateways", "Bus", "Shapes", "Codes", "Archives",
        "Hosting",
        "JourneysCore", "IngestCore", "MembershipCore", "EvaluatorCore", "TimerCore",
        "NotifierCore", "JourneysDaemon", "IngestDaemon", "MembershipDaemon", "EvaluatorDaemon",
        "TimerDaemon", "NotifierDaemon", "NotifierReport", "JagaCLI",
    ]

    static let importsGoDown = Rule.each("imports point down only") { file in
        guard file.isSwift, let module = module(of: file) else { return [] }
        guard let level = moduleOrder.firstIndex(of: module) else {
            return [
                Finding(path: file.path, line: 1, text: "\(module) is missing in Rule.moduleOrder")
            ]
        }
        return Import.all(in: file).compactMap { imported in
            guard let below = moduleOrder.firstIndex(of: imported.module), below >= level else {
                return nil
            }
            return Finding(
                path: file.path, line: imported.line, text: "\(module) imports \(imported.module)")
        }
    }

    /// Cores imported by other modules than their daemon: ingest contains journeys, and the command
    /// line tool evaluates offline.
    private static let coreUsers: [String: Set<String>] = [
        "JourneysCore": ["IngestCore", "IngestDaemon"], "EvaluatorCore": ["JagaCLI"],
        "NotifierCore": ["NotifierReport"],
    ]

    /// A core is imported only by its own service and by ``coreUsers``.
    static let coresStayInService = Rule.each("cores are imported by their own service only") {
        file in
        guard file.isSwift, let module = module(of: file) else { return [] }
        return Import.all(in: file).compactMap { imported in
            guard imported.module.hasSuffix("Core"), imported.module != module,
                module != imported.module.dropLast(4) + "Daemon",
                coreUsers[imported.module]?.contains(module) != true
            else { return nil }
            return Finding(
                path: file.path, line: imported.line, text: "\(module) imports \(imported.module)")
        }
    }

    /// The module of a file in `Shared` or `Services`; nil for other files.
    static func module(of file: SourceFile) -> String? {
        let folders = file.folders
        guard folders.count >= 2 else { return nil }
        switch (folders[0], folders[1]) {
        case ("Shared", let name): return String(name)
        case ("Services", "CLI"): return "JagaCLI"
        case ("Services", let name):
            return folders.count >= 3 ? "\(name)\(folders[2])" : nil
        default: return nil
        }
    }
}
