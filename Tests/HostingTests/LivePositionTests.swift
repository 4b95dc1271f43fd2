import Hashing
import Testing
import Wire

@testable import Hosting

@Suite struct `Sealed positions of live streams` {
    private static let key = [UInt8](repeating: 7, count: 32)

    private static func position(_ sequence: UInt64, item: String = "") -> LivePosition {
        var cursor = StreamCursor()
        cursor.read(.directory, to: Position(incarnation: .zero, sequence: sequence, hash: 0xABCD))
        return LivePosition(cursor: cursor, item: item)
    }

    @Test(arguments: ["", "cir_0000000000000000000000000a"])
    func `are read again`(item: String) {
        let position = Self.position(42, item: item)
        #expect(LivePosition(position.sealed(with: Self.key), key: Self.key) == position)
        let empty = LivePosition(cursor: StreamCursor())
        #expect(LivePosition(empty.sealed(with: Self.key), key: Self.key) == empty)
    }

    @Test func `have the same length and another text each time`() {
        let texts = (0..<10).map { _ in Self.position(42).sealed(with: Self.key) }
        #expect(Set(texts).count == 10)
        #expect(Set(texts.map(\.count)).count == 1)
    }

    @Test func `cannot be forged`() {
        let text = Self.position(42).sealed(with: Self.key)
        #expect(LivePosition(text, key: [UInt8](repeating: 8, count: 32)) == nil)
        for index in text.indices {
            var other = text
            other.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(LivePosition(other, key: Self.key) == nil)
        }
        for text in ["", "x", "live directory@1.0000 ", String(repeating: "A", count: 90)] {
            #expect(LivePosition(text, key: Self.key) == nil)
        }
        let message = SealedText.seal(Array("{}".utf8), key: Self.key)
        #expect(LivePosition(message, key: Self.key) == nil)
    }
}
