extension Rule {
    /// Where numbers from outside may be converted as the library does it: the file that does it
    /// for all others, and settings, which only the operator writes and the start checks.
    static let numberFiles = ["Shared/Model/OutsideNumber.swift", "Shared/Runtime/"]

    /// Integer types.
    private static let integers =
        ["Int", "UInt"].flatMap { name in ["", "8", "16", "32", "64"].map { name + $0 } }

    /// What texts are called in the code that reads them.
    private static let texts = [
        "text)", "digits)", "cursor)", "header)", "parts[", "numbers[", "fields[", "cells[",
        "value.text", "text.dropFirst", "text.dropLast", "text.prefix", "line.prefix",
    ]

    /// Conversions that take any number and leave the overflow to whoever computes with it.
    static let uncheckedReadings = integers.flatMap { type in texts.map { "\(type)(\($0)" } }

    /// The same without a name, of what a request says.
    static let unnamedReadings = integers.flatMap { ["(\($0).init)", "{ \($0)($0) }"] }

    /// Integers that enter from outside are read by `OutsideNumber`, which asks for their range,
    /// and doubles become integers by `init(nearest:)`, which clamps: no number of a client, of the
    /// wire or of a file can stop a process.
    static let boundedNumbers = Rule.each("numbers from outside are bounded") { file in
        guard file.isSwift, ["Services", "Shared"].contains(file.folders.first),
            !numberFiles.contains(where: { file.path.hasPrefix($0) })
        else { return [] }
        let words = file.among(uncheckedReadings)
        let preparesGeometry = file.path.hasPrefix("Shared/Geometry/")
        return file.code.enumerated().flatMap { index, line in
            let isOfRequest = ["query[", "headers["].contains { line.contains($0) }
            let found =
                words.filter { line.contains($0) }
                + (isOfRequest ? unnamedReadings.filter { line.contains($0) } : [])
            var faults = found.map { "\($0): use OutsideNumber.integer(_:in:)" }
            if !preparesGeometry, roundsUnchecked(line) {
                faults.append("a rounded double made an integer: use init(nearest:)")
            }
            if line.contains("radix:"), !line.contains("String(") {
                faults.append("use OutsideNumber.bits(hexadecimal:)")
            }
            // Cores are given times that the wire or a dialect has bounded.
            if !file.folders.contains("Core"), computesWithMicroseconds(line) {
                faults.append("a time may be any: compute with Timestamp and Duration")
            }
            return faults.map { Finding(path: file.path, line: index + 1, text: $0) }
        }
    }

    /// Whether a line makes an integer of what it rounds, without `exactly:`.
    private static func roundsUnchecked(_ line: Substring) -> Bool {
        guard line.contains(".rounded("), !line.contains("exactly:") else { return false }
        return !integers.allSatisfy { columns(of: "\($0)(", in: line).isEmpty }
    }

    /// Whether a line adds to or subtracts from the microseconds of a time by an operator that
    /// stops the process when it overflows.
    private static func computesWithMicroseconds(_ line: Substring) -> Bool {
        ["+", "-", "*"].contains { line.contains(".microseconds \($0) ") }
    }
}
