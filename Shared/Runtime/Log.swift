import CLinux
import Glibc
import Model

/// The severity of a log line.
public enum LogLevel: String, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
}

/// Fields of a log line, in order: `["port": 8101, "store": path]`.
public struct LogFields: ExpressibleByDictionaryLiteral {
    var pairs: [(key: String, value: String)]

    public init(dictionaryLiteral elements: (String, any CustomStringConvertible)...) {
        pairs = elements.map { ($0.0, $0.1.description) }
    }

    /// Appends a field.
    public mutating func append(_ key: String, _ value: some CustomStringConvertible) {
        pairs.append((key, value.description))
    }
}

/// Logger in logfmt: `time=… level=info service=timer msg=ready port=8104`.
///
/// Each line is one `write(2)` of at most 4,096 bytes, so that lines of several processes on one
/// pipe stay intact. Lines that cannot be written immediately are dropped, and the next line
/// reports how many (``Lines``). Never log names, phone numbers, positions or secrets.
public struct Log: Sendable {
    /// Maximum length of a line with its line feed, bytes: the size of an atomic pipe write.
    public static let lineBytesMax = Lines.atomicBytes

    public var service: String
    public var level: LogLevel
    /// Shared by all copies of this log.
    private let lines: Lines

    /// - Parameter descriptor: file descriptor for lines; 2 = standard error, negative = drop all
    ///   lines
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

    /// Logs an error with its code, operation and hint as fields.
    public func error(_ error: any Error, _ fields: LogFields = [:]) {
        guard let explained = error as? any ExplainedError else {
            return write(.error, "\(error)", fields)
        }
        var all: LogFields = ["operation": explained.operation, "code": explained.code]
        all.pairs += fields.pairs
        if !explained.hint.isEmpty { all.append("hint", explained.hint) }
        write(.error, explained.message, all)
    }

    private func write(_ level: LogLevel, _ message: String, _ fields: LogFields) {
        let time = Log.now
        let line = Log.line(
            time: time, level: level, service: service, message: message, fields: fields)
        lines.write(line) { notice(of: $0, at: time) }
    }

    /// Writes pending output at the end of the process: the rest of a partial line, and a notice
    /// about dropped lines.
    ///
    /// - Parameter limit: maximum time to wait until everything is written
    public func flush(within limit: Duration) {
        lines.enqueueNotice { notice(of: $0, at: Log.now) }
        lines.flush(within: limit)
    }

    private func notice(of dropped: Int, at time: Timestamp) -> [UInt8] {
        Log.line(
            time: time, level: .warning, service: service,
            message: "log lines dropped", fields: ["lines": dropped])
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
        return Lines.line(text)
    }

    /// Quotes and escapes a value unless it is a plain logfmt word.
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
