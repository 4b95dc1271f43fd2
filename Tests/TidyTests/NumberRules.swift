extension Rule {
    /// Files that may convert numbers from outside without bounds: `UntrustedNumber` itself, and
    /// settings, which only the operator writes and the start checks.
    static let numberFiles = ["Shared/Model/UntrustedNumber.swift", "Shared/Runtime/"]

    /// Integer types.
    private static let integers =
        ["Int", "UInt"].flatMap { name in ["", "8", "16", "32", "64"].map { name + $0 } }

    /// Expressions that hold text from outside in parsers.
    private static let texts = [
        "text)", "digits)", "cursor)", "header)", "parts[", "numbers[", "fields[", "cells[",
        "value.text", "text.dropFirst", "text.dropLast", "text.prefix", "line.prefix",
    ]

    /// Conversions without a range: a later computation may overflow.
    static let uncheckedConversions = integers.flatMap { type in texts.map { "\(type)(\($0)" } }

    /// Unbounded conversions of request values in point-free form.
    static let pointFreeConversions = integers.flatMap { ["(\($0).init)", "{ \($0)($0) }"] }

    /// Integers from outside are read by `UntrustedNumber`, which requires a range, and doubles
    /// become integers by `init(nearest:)`, which clamps: no number of a client, of the wire or of
    /// a file can crash a process.
    static let boundedNumbers = Rule.each("numbers from outside are bounded") { file in
        guard file.isSwift, ["Services", "Shared"].contains(file.folders.first),
            !numberFiles.contains(where: { file.path.hasPrefix($0) })
        else { return [] }
        let words = file.among(uncheckedConversions)
        let preparesGeometry = file.path.hasPrefix("Shared/Geometry/")
        return file.code.enumerated().flatMap { index, line in
            let isRequestValue = ["query[", "headers["].contains { line.includes($0) }
            let found =
                words.filter { line.includes($0) }
                + (isRequestValue ? pointFreeConversions.filter { line.includes($0) } : [])
            var faults = found.map { "\($0): use UntrustedNumber.integer(_:in:)" }
            if !preparesGeometry, roundsUnchecked(line) {
                faults.append("unchecked conversion of a rounded double: use init(nearest:)")
            }
            if line.includes("radix:"), !line.includes("String(") {
                faults.append("use UntrustedNumber.bits(hexadecimal:)")
            }
            // Times that reach a core were bounded by the wire or a dialect.
            if !file.folders.contains("Core"), computesWithMicroseconds(line) {
                faults.append("arithmetic on microseconds may overflow: use Timestamp and Duration")
            }
            return faults.map { Finding(path: file.path, line: index + 1, text: $0) }
        }
    }

    /// Whether a line converts a rounded value to an integer without `exactly:`.
    private static func roundsUnchecked(_ line: Substring) -> Bool {
        guard line.includes(".rounded("), !line.includes("exactly:") else { return false }
        return !integers.allSatisfy { columns(of: "\($0)(", in: line).isEmpty }
    }

    /// Whether a line computes with the microseconds of a time by an operator that traps on
    /// overflow.
    private static func computesWithMicroseconds(_ line: Substring) -> Bool {
        ["+", "-", "*"].contains { line.includes(".microseconds \($0) ") }
    }
}
