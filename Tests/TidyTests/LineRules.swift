extension Rule {
    static let columnsMax = 100

    static let lineLength = Rule.each("lines have at most \(columnsMax) columns") { file in
        // Golden files hold payloads of phones, one per line.
        guard !file.folders.contains("Golden") else { return [] }
        guard !file.isProse, !file.path.hasSuffix(".yaml"), !file.path.hasSuffix(".svg") else {
            return []
        }
        return file.lines.enumerated().compactMap { index, line in
            guard line.count > columnsMax else { return nil }
            return Finding(path: file.path, line: index + 1, text: "\(line.count) columns")
        }
    }
}
