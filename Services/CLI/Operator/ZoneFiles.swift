import Parsing
import Runtime
import Web
import ZoneFiles

/// Import and export of zone files.
extension ZoneCommand {
    static let fileOptions: [Syntax.Option] = [
        .init(
            name: "--format", value: "NAME",
            help: "geojson, pad, gpx or kml (default: by FILE's extension)"),
        .init(
            name: "--preview", value: nil, help: "import: show the zones without creating them"),
        .init(name: "--radius", value: "METRES", help: "import: radius of points without one"),
        .init(
            name: "--kind", value: "KIND", help: "import: kind of zones without it (default safe)"),
    ]

    static func importFile(
        _ file: String, to owner: ZoneOwnerPath, _ api: API, _ call: Call
    ) throws -> Int32 {
        let format = try format(call, of: file, among: FileFormat.allCases)
        let bytes = try Files.read(
            file == "-" ? "/dev/stdin" : file, bytesMax: FileLimits.bytesMax)
        var query = Query([.init("format", format.rawValue)])
        for name in ["radius", "kind"] {
            if let value = call.value("--" + name) { query.items.append(.init(name, value)) }
        }
        let isPreview = call.has("--preview")
        if isPreview { query.items.append(.init("preview", "true")) }
        let path = owner.path + "/zones/import?" + query.encoded
        let answer = try api.send(bytes, to: path, as: format.mediaType)
        let isRefused = answer["problems"]?.array?.isEmpty == false
        if call.has("--json") {
            Console.print(answer.text)
        } else {
            report(answer, isPreview: isPreview)
        }
        return isRefused ? 1 : 0
    }

    private static func report(_ answer: JSON, isPreview: Bool) {
        let zones = (isPreview ? answer["zones"] : answer["items"])?.array ?? []
        let problems = answer["problems"]?.array ?? []
        for line in zones.isEmpty ? [] : table(of: zones).lines { Console.print(line) }
        printNotes(answer["notes"])
        for problem in problems { Console.printError("problem: \(text(problem))") }
        guard problems.isEmpty else {
            return Console.print("no zones would be created from this file")
        }
        Console.print("\(isPreview ? "would create" : "created") \(zones.count) zones")
    }

    /// Renders a problem, such as `line 6: … (properties.radius); use metres`.
    private static func text(_ problem: JSON) -> String {
        let field = problem["field"]?.string.map { " (\($0.onOneLine))" } ?? ""
        let hint = problem["hint"]?.string.map { "; \($0.onOneLine)" } ?? ""
        return problem.cell("detail") + field + hint
    }

    private static func printNotes(_ notes: JSON?) {
        for note in notes?.array ?? [] {
            Console.printError("note: \((note.string ?? "").onOneLine)")
        }
    }

    static func export(
        _ owner: ZoneOwnerPath, to file: String?, _ api: API, _ call: Call
    ) throws {
        let format = try format(call, of: file, among: FileFormat.written)
        let answer = try api.get(
            owner.path + "/zones/export?format=\(format.rawValue)&notes=true")
        guard let text = answer["file"]?.string else {
            throw CommandError(
                "the response has no file",
                hint: "check that \(api.url) is a Jaga suite; set JAGA_URL or --url")
        }
        printNotes(answer["notes"])
        guard let file, file != "-" else { return Console.writeFile(text) }
        try Files.write(Array(text.utf8), to: file)
    }

    /// The format in `--format`, or by the file's extension; GeoJSON without a file.
    static func format(
        _ call: Call, of file: String?, among formats: [FileFormat]
    ) throws(CommandError) -> FileFormat {
        let names = formats.map(\.rawValue).joined(separator: ", ")
        if let name = call.value("--format") {
            guard let format = FileFormat(rawValue: name), formats.contains(format) else {
                throw .usage("--format must be one of \(names), not \(name)", syntax)
            }
            return format
        }
        guard let file else { return .geojson }
        guard let format = FileFormat(fileName: file), formats.contains(format) else {
            throw .usage(
                "\(file) has an unknown extension; set --format to one of \(names)", syntax)
        }
        return format
    }
}
