import Codes
import Testing

@Suite struct `A QR code` {
    @Test(arguments: ["j", "jaga", "A b c 1 2 3", "grüß dich"])
    func `is decoded to its text`(text: String) throws {
        let code = try QRCode(text)
        #expect(code.size == 21)
        #expect(SmallCodeReader.text(size: code.size, isDark: code.isDark) == text)
    }

    @Test func `grows with its text`() throws {
        let link = "owntracks:///config?inline=" + String(repeating: "abcd", count: 120)
        let code = try QRCode(link)
        #expect(code.size > 60 && code.size % 4 == 1)
        for (column, row) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            let finder = (0..<7).map { y in
                (0..<7).map { code.isDark(column: column + $0, row: row + y) ? "#" : "." }.joined()
            }
            #expect(
                finder == [
                    "#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######",
                ])
        }
    }

    @Test func `is drawn correctly on a terminal`() throws {
        let code = try QRCode("jaga")
        let lines = code.lines(colors: false).map(Array.init)
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        func isDark(column: Int, row: Int) -> Bool {
            let light: [Character] = row % 2 == 0 ? ["█", "▀"] : ["█", "▄"]
            return !light.contains(lines[(row + 4) / 2][column + 4])
        }
        #expect(SmallCodeReader.text(size: 21, isDark: isDark) == "jaga")
        for line in code.lines(colors: true) {
            #expect(line.hasPrefix("\u{1B}[40;97m"))
            #expect(line.hasSuffix("\u{1B}[0m"))
        }
    }

    @Test func `is drawn correctly as SVG`() throws {
        let svg = try QRCode("jaga").svg
        var dark: Set<[Int]> = []
        for run in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (x, y) = (try #require(Int(run.output.1)), try #require(Int(run.output.2)))
            #expect(run.output.3 == run.output.4)
            for column in x..<x + (try #require(Int(run.output.3))) { dark.insert([column, y]) }
        }
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""))
        #expect(SmallCodeReader.text(size: 21) { dark.contains([$0 + 4, $1 + 4]) } == "jaga")
    }

    @Test func `is drawn correctly as PNG`() throws {
        let png = try QRCode("jaga").png(scale: 3)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // Checksum of an empty IEND chunk, from the standard.
        #expect(png.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        #expect(png[16..<29] == [0, 0, 0, 87, 0, 0, 0, 87, 1, 0, 0, 0, 0])
        // Header 33 bytes, then length, type, two bytes of zlib, five of its only block.
        let rows = png[(33 + 8 + 2 + 5)...]
        func isDark(column: Int, row: Int) -> Bool {
            let (x, y) = ((column + 4) * 3 + 1, (row + 4) * 3 + 1)
            return rows[rows.startIndex + y * 12 + 1 + x / 8] & 0x80 >> UInt8(x % 8) == 0
        }
        #expect(SmallCodeReader.text(size: 21, isDark: isDark) == "jaga")
    }

    @Test func `rejects texts that do not fit`() {
        #expect(throws: CodeError.self) { try QRCode("") }
        #expect(throws: CodeError.self) { try QRCode("a\0b") }
        do throws(CodeError) {
            _ = try QRCode(String(repeating: "a", count: 2954))
            Issue.record("a text of 2,954 bytes must not fit")
        } catch {
            #expect(error.code == .tooLong)
            #expect(error.description.contains("2954 bytes"))
        }
        #expect(throws: Never.self) { try QRCode(String(repeating: "a", count: 2953)) }
    }
}
