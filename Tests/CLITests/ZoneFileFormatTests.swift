import Testing
import ZoneFiles

@testable import JagaCLI

@Suite struct `The format of a file of zones` {
    private func format(
        _ file: String?, _ options: String..., among formats: [FileFormat] = FileFormat.allCases
    ) throws -> FileFormat {
        let call = try Call(["import"] + options, of: ZoneCommand.syntax, environment: [:])
        return try ZoneCommand.format(call, of: file, among: formats)
    }

    @Test func `follows from the extension, or from an option, which takes precedence`() throws {
        #expect(try format("a/b.pad") == .pad)
        #expect(try format("b.JSON") == .geojson)
        #expect(try format("b.json", "--format", "pad") == .pad)
        #expect(try format("-", "--format", "kml") == .kml)
        #expect(try format(nil) == .geojson)
    }

    @Test func `must be known`() {
        #expect(throws: CommandError.self) { try format("zones.txt") }
        #expect(throws: CommandError.self) { try format("-") }
        #expect(throws: CommandError.self) { try format("a.pad", "--format", "csv") }
        #expect(throws: CommandError.self) { try format("a.gpx", among: FileFormat.written) }
    }
}
