import Model
import Wire

/// Position of a reader in streams, as the text of `Last-Event-ID`:
/// `in/17@4711.9f3a,sos@12.0b1c`.
///
/// Each sequence is followed by the last 16 bits of the chain hash. If they differ, the stream is
/// not the one that was read.
public struct StreamCursor: Hashable, Sendable, CustomStringConvertible {
    /// Position in one stream.
    public struct Mark: Hashable, Sendable {
        public var sequence: UInt64
        public var check: UInt16

        public init(sequence: UInt64, check: UInt16) {
            self.sequence = sequence
            self.check = check
        }
    }

    /// Contains no streams of which nothing was read.
    public var marks: [StreamName: Mark] = [:]

    public init() {}

    /// Parses a `Last-Event-ID`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let at = part.split(separator: "@", omittingEmptySubsequences: false)
            guard at.count == 2, let stream = StreamName(text: String(at[0])) else { return nil }
            let numbers = at[1].split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, numbers[1].count == 4,
                let sequence = UntrustedNumber.integer(numbers[0], in: 0...UntrustedNumber.most),
                let check = UntrustedNumber.bits(hexadecimal: numbers[1], UInt16.self)
            else { return nil }
            marks[stream] = Mark(sequence: UInt64(sequence), check: check)
        }
    }

    public mutating func read(_ stream: StreamName, to position: Position) {
        marks[stream] = Mark(position)
    }

    public var description: String {
        marks.filter { $0.value.sequence > 0 }.sorted { $0.key < $1.key }.map { stream, mark in
            let check = String(mark.check, radix: 16)
            let zeros = String(repeating: "0", count: 4 - check.count)
            return "\(stream.text)@\(mark.sequence).\(zeros)\(check)"
        }.joined(separator: ",")
    }
}

extension StreamCursor.Mark {
    public init(_ position: Position) {
        self.init(
            sequence: position.sequence, check: UInt16(truncatingIfNeeded: position.hash))
    }
}
