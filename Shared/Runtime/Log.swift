import CLinux
import Glibc
import Model

/// How much a line matters.
public enum LogLevel: String, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
}

/// Further words of a line, in the order given: `["port": 8101, "store": path]`.
public struct LogFields: ExpressibleByDictionaryLiteral {
    var pairs: [(key: String, value: String)]

    public init(dictionaryLiteral elements: (String, any CustomStringConvertible)...) {
        pairs = elements.map { ($0.0, $0.1.description) }
    }

    /// Adds a word behind the others.
    public mutating func append(_ key: String, _ value: some CustomStringConvertible) {
        pairs.append((key, value.description))
    }
}

/// Lines of logfmt: `time=… level=info service=timer msg=ready port=8104`.
///
/// One `write(2)` a line, at most 4,096 bytes, so that lines of several processes on one pipe stay
/// whole. A line that nobody takes at once is left out, and the next one that is taken tells how
/// many were (``Lines``). Never give it names, numbers, positions or secrets.
public struct Log: Sendable {
    /// Longest line in bytes, with its end: what a pipe takes in one piece.
    public static let lineBytesMax = Lines.pieceBytes

    public var service: String
    public var level: LogLevel
    /// Of this log and of all its copies.
    private let lines: Lines

    /// - Parameter descriptor: file descriptor that lines go to; 2 is standard error, a negative
    ///   one nowhere
    public init(service: String, level: LogLevel = .info, descriptor: Int32 = 2) {
        self.service = service
        self.level = level
        lines = Lines(to: descriptor)
    }

    public func debug(_ message: String, _ fields: @autoclosure () -> LogFields = [:]) {
        if level <= .debug { write(.debug, message, fields()) }
    }
    public func info(_ message: String, _ fields: @autoclosure () -> LogFields = [:]) {
        if level <= .info { write(.info, message, fields()) }
    }
    public func warning(_ message: String, _ fields: @autoclosure () -> LogFields = [:]) {
        if level <= .warning { write(.warning, message, fields()) }
    }
    public func error(_ message: String, _ fields: @autoclosure () -> LogFields = [:]) {
        write(.error, message, fields())
    }

    /// An error with its code, operation and hint as words of their own.
    public func error(_ error: any Error, _ fields: LogFields = [:]) {
        guard let explained = error as? any ExplainedError else {
            return write(.error, "\(error)", fields)
        }
        var words: LogFields = ["operation": explained.operation, "code": explained.code]
        words.pairs += fields.pairs
        if !explained.hint.isEmpty { words.append("hint", explained.hint) }
        write(.error, explained.message, words)
    }

    private func write(_ level: LogLevel, _ message: String, _ fields: LogFields) {
        let time = Log.now
        let line = Log.line(
            time: time, level: level, service: service, message: message, fields: fields)
        lines.write(line) { notice(of: $0, at: time) }
    }

    /// What is said last by this log and its copies: ends a line that was taken in part, and tells
    /// of those that were left out.
    ///
    /// - Parameter limit: waits so long at most until that is taken
    public func settle(within limit: Duration) {
        lines.promiseNotice { notice(of: $0, at: Log.now) }
        lines.settle(within: limit)
    }

    private func notice(of leftOut: Int, at time: Timestamp) -> [UInt8] {
        Log.line(
            time: time, level: .warning, service: service,
            message: "lines were left out: nobody took them", fields: ["lines": leftOut])
    }

    private static var now: Timestamp {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return Timestamp(
            milliseconds: Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000)
    }

    static func line(
        time: Timestamp, level: LogLevel, service: String, message: String, fields: LogFields
    ) -> [UInt8] {
        var text = "time=\(time) level=\(level.rawValue) service=\(Log.word(service))"
        text += " msg=" + Log.word(message)
        for (key, value) in fields.pairs { text += " \(key)=" + Log.word(value) }
        return Lines.piece(text)
    }

    /// The value as it is, or in quotes where it would not read back as one word.
    static func word(_ value: String) -> String {
        let plain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy {
                $0.value > 32 && $0 != "\"" && $0 != "=" && $0 != "\\" && $0.value != 127
            }
        if plain { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
