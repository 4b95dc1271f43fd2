import Foundation
import ZoneFiles

/// Reads tracks from files: GPX 1.0 and 1.1, or CSV, either also packed by gzip.
enum TrackFile {
    /// Throws ``CommandError`` naming the file, and where it is wrong.
    ///
    /// - Parameter user: of a CSV with several people, whose points to take
    static func read(_ path: String, user: String? = nil) throws -> Track {
        let data = try contents(path)
        var track: Track
        do throws(FileError) {
            track = try Track.read([UInt8](data))
        } catch {
            let place = error.place.map { "\($0): " } ?? ""
            throw CommandError("\(path): \(place)\(error.message)", hint: error.hint)
        }
        if let user { track.points.removeAll { $0.owner != user } }
        if track.owners.count > 1 {
            throw CommandError(
                "\(path) holds points of \(track.owners.count) people",
                hint: "choose one with --user, such as --user \(track.owners[0])")
        }
        guard !track.points.isEmpty else {
            throw CommandError(
                "\(path) holds no track", hint: "GPX with trkpt, or CSV with lat,lng,datetime,uid")
        }
        return track
    }

    /// A file's bytes, unpacked where it is packed by gzip.
    static func contents(_ path: String) throws -> Data {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("there is no file \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("\(path) cannot be read", hint: "are you allowed to read it?")
        }
        return data.starts(with: [0x1F, 0x8B]) ? try unpack(path) : data
    }

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
