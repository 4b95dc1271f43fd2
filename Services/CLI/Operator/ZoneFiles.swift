import Parsing
import Runtime
import Web
import ZoneFiles

/// Zones from files, and to files.
extension ZoneCommand {
    static let fileOptions: [Syntax.Option] = [
        .init(
            name: "--format", value: "NAME",
            help: "geojson, pad, gpx or kml (default: by the end of FILE's name)"),
        .init(
            name: "--preview", value: nil, help: "import: make nothing, say what would be made"),
        .init(name: "--radius", value: "METRES", help: "import: of points that tell none"),
        .init(
            name: "--kind", value: "KIND", help: "import: of zones that tell none (default safe)"),
    ]

    static func importFile(
        _ file: String, to holder: Holder, _ api: API, _ call: Call
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
        let path = holder.path + "/zones/import?" + query.encoded
        let answer = try api.send(bytes, to: path, as: format.mediaType)
        let isRefused = answer["problems"]?.array?.isEmpty == false
        if call.has("--json") {
            Console.say(answer.text)
        } else {
            tell(answer, isPreview: isPreview)
        }
        return isRefused ? 1 : 0
    }

    private static func tell(_ answer: JSON, isPreview: Bool) {
        let zones = (isPreview ? answer["zones"] : answer["items"])?.array ?? []
        let problems = answer["problems"]?.array ?? []
        for line in zones.isEmpty ? [] : table(of: zones).lines { Console.say(line) }
        complain(answer["notes"])
        for problem in problems { Console.complain("problem: \(sentence(problem))") }
        guard problems.isEmpty else { return Console.say("nothing would be made of this file") }
        Console.say("\(isPreview ? "would make" : "made") \(zones.count) zones")
    }

    /// Such as `line 6: … (properties.radius); give metres`.
    private static func sentence(_ problem: JSON) -> String {
        let field = problem["field"]?.string.map { " (\($0.onOneLine))" } ?? ""
        let hint = problem["hint"]?.string.map { "; \($0.onOneLine)" } ?? ""
        return problem.cell("detail") + field + hint
    }

    private static func complain(_ notes: JSON?) {
        for note in notes?.array ?? [] {
            Console.complain("note: \((note.string ?? "").onOneLine)")
        }
    }

    static func export(
        _ holder: Holder, to file: String?, _ api: API, _ call: Call
    ) throws {
        let format = try format(call, of: file, among: FileFormat.written)
        let answer = try api.get(
            holder.path + "/zones/export?format=\(format.rawValue)&notes=true")
        guard let text = answer["file"]?.string else {
            throw CommandError(
                "the suite answered without a file",
                hint: "does \(api.url) lead to Jaga? set JAGA_URL or --url")
        }
        complain(answer["notes"])
        guard let file, file != "-" else { return Console.writeFile(text) }
        try Files.write(Array(text.utf8), to: file)
    }

    /// What `--format` says, else the end of the file's name; without a file GeoJSON.
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
            throw .usage("the name of \(file) tells no format; say --format: \(names)", syntax)
        }
        return format
    }
}
