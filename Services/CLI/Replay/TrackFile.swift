import Foundation

/// Reads tracks from files: GPX 1.0 and 1.1, or CSV, either also packed by gzip.
enum TrackFile {
    /// Throws ``CommandError`` naming the file, and where it is wrong.
    ///
    /// - Parameter user: of a CSV with several people, whose points to take
    static func read(_ path: String, user: String? = nil) throws -> Track {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("there is no file \(path)")
        }
        guard var data = FileManager.default.contents(atPath: path) else {
            throw CommandError("\(path) cannot be read", hint: "are you allowed to read it?")
        }
        if data.starts(with: [0x1F, 0x8B]) { data = try unpack(path) }
        let first = data.first { !$0.isBlank && !byteOrderMark.contains($0) }
        let track =
            first == UInt8(ascii: "<")
            ? try GPXReader.read(data, path: path)
            : try CSVReader.read(data, path: path, user: user)
        guard !track.points.isEmpty else {
            throw CommandError(
                "\(path) holds no track", hint: "GPX with trkpt, or CSV with lat,lng,datetime,uid")
        }
        return track
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func unpack(_ path: String) throws -> Data {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["gzip", "-dc", "--", path]
        let pipe = Pipe()
        program.standardOutput = pipe
        program.standardError = FileHandle.nullDevice
        try program.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        guard program.terminationStatus == 0 else {
            throw CommandError("\(path) cannot be unpacked", hint: "is it complete?")
        }
        return data
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 32 || (9...13).contains(self) }
}
