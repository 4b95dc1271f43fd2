import Archives
import Model
import Parsing
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `An exported archive` {
    private static let time = Timestamp(seconds: 1_800_000_000)

    private func main() -> [UInt8] {
        var zip = ZipWriter()
        return zip.add("person.json", Array("{}".utf8), at: Self.time) + zip.finish()
    }

    private func part(_ name: String, fails: Bool = false) -> ExportArchive.Part {
        .init(
            name: name, service: .timer,
            content: fails ? .failure(.init("no answer")) : .success(["a": 1]))
    }

    private func index(_ archive: ExportArchive) throws -> JSON {
        let files = try ZipFile.read(try #require(archive.bytes(at: Self.time)))
        let index = try #require(files.first { $0.name == "index.json" })
        return try JSON.parse(index.content)
    }

    @Test func `has the parts of all services and an index`() throws {
        let archive = ExportArchive(main: .success(main()), parts: [part("watches.json")])
        let names = try ZipFile.read(try #require(archive.bytes(at: Self.time))).map(\.name)
        #expect(names == ["person.json", "watches.json", "index.json"])
        #expect(try index(archive)["complete"] == true)
        #expect(archive.missing.isEmpty && !archive.isEmpty)
    }

    @Test func `names what a service did not deliver`() throws {
        let archive = ExportArchive(
            main: .failure(.init("ingest is down")),
            parts: [part("watches.json"), part("drafts.json", fails: true)])
        let index = try index(archive)
        #expect(index["complete"] == false)
        #expect(index["parts"]?.array?.map { $0["complete"] } == [false, true, false])
        #expect(index["parts"]?[0]?["missing"] == "ingest is down")
        #expect(archive.missing.map(\.reason) == ["ingest is down", "no answer"])
        #expect(!archive.isEmpty)
        let nothing = ExportArchive(main: .failure(.init("down")), parts: [part("x", fails: true)])
        #expect(nothing.isEmpty)
    }

    @Test func `is rejected if the response is none`() {
        let archive = ExportArchive(main: .success(Array("<html>".utf8)), parts: [])
        #expect(archive.bytes(at: Self.time) == nil)
    }

    @Test func `the access log is a table of who, what, how often and why`() {
        let lines = AccessCommand.table(of: [
            [
                "hour": "2026-11-20T12:00:00.000Z", "viewer": nil, "name": nil,
                "kind": "positions", "count": 3, "reason": "support case 12", "asked": nil,
            ],
            [
                "hour": "2026-11-20T11:00:00.000Z", "viewer": "per_1", "name": "Ben",
                "kind": "map", "count": 8, "reason": nil, "asked": nil,
            ],
        ]).lines
        #expect(lines[1] == "2026-11-20T12:00:00.000Z  operator  positions  3      support case 12")
        #expect(lines[2].hasPrefix("2026-11-20T11:00:00.000Z  Ben       map        8"))
    }
}
