import Runtime
import ZoneFiles

/// Reads tracks from files: GPX 1.0 and 1.1 or CSV, optionally compressed with gzip.
enum TrackFile {
    /// Reads a track.
    ///
    /// - Parameter user: the person in a CSV with several people
    /// - Throws: ``CommandError`` with the file and the location of the error
    static func read(_ path: String, user: String? = nil) throws -> Track {
        let bytes = try contents(path)
        var track: Track
        do throws(FileError) {
            track = try Track.read(bytes)
        } catch {
            let place = error.location.map { "\($0): " } ?? ""
            throw CommandError("\(path): \(place)\(error.message)", hint: error.hint)
        }
        if let user { track.points.removeAll { $0.owner != user } }
        if track.owners.count > 1 {
            throw CommandError(
                "\(path) has points of \(track.owners.count) people",
                hint: "select one, such as --user \(track.owners[0])")
        }
        guard !track.points.isEmpty else {
            throw CommandError(
                "\(path) has no track", hint: "use GPX with trkpt, or CSV with lat,lng,datetime,uid"
            )
        }
        return track
    }

    /// Maximum file size, compressed or not.
    static let bytesMax = 1 << 30

    /// The file's bytes, decompressed if needed.
    static func contents(_ path: String) throws -> [UInt8] {
        guard Files.exists(path) else { throw CommandError("there is no file \(path)") }
        let bytes = try Files.read(path, bytesMax: bytesMax)
        return bytes.starts(with: [0x1F, 0x8B]) ? try unpack(path) : bytes
    }

    private static func unpack(_ path: String) throws -> [UInt8] {
        let program = try ChildProcess(
            path: "/usr/bin/env", arguments: ["gzip", "-dc", "--", path],
            environment: Configuration.processEnvironment())
        var bytes: [UInt8] = []
        while let more = program.drain() {
            bytes += more
            if more.isEmpty { Loop.wait(on: [program], atMost: 1000) }
        }
        while program.reap() == nil { Loop.wait(on: [], atMost: 1) }
        guard program.exitStatus == 0, bytes.count <= bytesMax else {
            throw CommandError("cannot decompress \(path)", hint: "check that the file is complete")
        }
        return bytes
    }
}
