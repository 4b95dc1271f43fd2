import Model
import TestSupport
import Testing

@testable import Archives

@Suite struct ZipWriterTests {
    private let time = Timestamp("2026-11-20T10:20:30.000Z")!

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `other programs read names, times and contents`() throws {
        var zip = ZipWriter()
        var archive = zip.begin("reports/phöne.json", at: time)
        archive += zip.append(Array("{\"a\":".utf8))
        archive += zip.append(Array("1}".utf8))
        archive += zip.end()
        archive += zip.add("photos/1.jpg", [1, 2, 3], at: time, isCompressed: true)
        archive += zip.add("empty", [], at: time)
        archive += zip.finish()
        let entries = try ZipFile.read(archive)
        #expect(entries.map(\.name) == ["reports/phöne.json", "photos/1.jpg", "empty"])
        #expect(entries.map(\.content) == [bytes("{\"a\":1}"), [1, 2, 3], []])
        #expect(Set(entries.map(\.date)) == ["2026-11-20 10:20:30"])
    }

    @Test func `long entries of many pieces are compressed and read completely`() throws {
        var zip = ZipWriter()
        var archive = zip.begin("long", at: time)
        for number in 0..<2000 {
            archive += zip.append(Array(String(repeating: "line \(number)\n", count: 50).utf8))
        }
        archive += zip.end() + zip.finish()
        let text = (0..<2000).map { String(repeating: "line \($0)\n", count: 50) }.joined()
        #expect(try ZipFile.read(archive).first?.content == bytes(text))
        #expect(archive.count < text.utf8.count / 10)
    }

    @Test func `an archive can be continued`() throws {
        var zip = ZipWriter()
        var archive = zip.add("a", Array("first".utf8), at: time) + zip.finish()
        var rest = 0
        var more = try #require(ZipWriter(continuing: archive, rest: &rest))
        archive.removeSubrange(rest...)
        archive += more.add("b", Array("second".utf8), at: time) + more.finish()
        let entries = try ZipFile.read(archive)
        #expect(entries.map(\.name) == ["a", "b"])
        #expect(entries.map(\.text) == ["first", "second"])
        let no = bytes("not an archive, but long enough for one")
        #expect(ZipWriter(continuing: no, rest: &rest) == nil)
        #expect(ZipWriter(continuing: [], rest: &rest) == nil)
    }
}
