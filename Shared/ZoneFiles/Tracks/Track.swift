import Model

/// A point of a recorded track.
public struct TrackPoint: Hashable, Sendable {
    public var position: Coordinate
    /// Nil if the file has no time for the point.
    public var time: Timestamp?
    /// Accuracy in centimetres; 0 = unknown.
    public var accuracyCentimetres: Int32
    public var altitudeCentimetres: Int32?
    public var speedCentimetresPerSecond: Int32?
    /// Degrees clockwise from north, 0 to 359.
    public var courseDegrees: Int32?
    /// Horizontal dilution of precision; dimensionless.
    public var hdop: Double?
    /// Identifies the person who recorded the point; empty if the file does not.
    public var owner: String

    public init(
        position: Coordinate, time: Timestamp? = nil, accuracyCentimetres: Int32 = 0,
        altitudeCentimetres: Int32? = nil, speedCentimetresPerSecond: Int32? = nil,
        courseDegrees: Int32? = nil, hdop: Double? = nil, owner: String = ""
    ) {
        self.position = position
        self.time = time
        self.accuracyCentimetres = accuracyCentimetres
        self.altitudeCentimetres = altitudeCentimetres
        self.speedCentimetresPerSecond = speedCentimetresPerSecond
        self.courseDegrees = courseDegrees
        self.hdop = hdop
        self.owner = owner
    }

    /// The point as a fix; nil without a time.
    public var fix: Fix? {
        time.map {
            Fix(
                time: $0, position: position, accuracyCentimetres: accuracyCentimetres,
                altitudeCentimetres: altitudeCentimetres,
                speedCentimetresPerSecond: speedCentimetresPerSecond, courseDegrees: courseDegrees)
        }
    }
}

/// A recorded track with its points in file order.
public struct Track: Hashable, Sendable {
    public var points: [TrackPoint]

    public init(points: [TrackPoint]) { self.points = points }

    /// Reads GPX if the file looks like XML, otherwise CSV.
    public static func read(_ bytes: [UInt8]) throws(FileError) -> Track {
        guard bytes.count <= TrackLimits.bytesMax else {
            throw FileError(
                .tooMuch, "read a track",
                "the file is larger than \(TrackLimits.bytesMax >> 20) MiB", hint: "Split the file."
            )
        }
        let marks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFF, 0xFE, 0, 32, 9, 10, 13]
        let first = bytes.first { !marks.contains($0) }
        return first == UInt8(ascii: "<") ? try GPXTrack.read(bytes) : try CSVTrack.read(bytes)
    }

    /// The owners of the points, sorted.
    public var owners: [String] { Set(points.map(\.owner)).sorted() }
}

/// Limits of track files.
public enum TrackLimits {
    public static let bytesMax = 512 << 20
    public static let pointsMax = 5_000_000
}

/// Converts optional values of a point. An invalid value becomes unknown.
enum OptionalValue {
    /// Metres to centimetres; 0 = unknown, at most 100 km.
    static func accuracy(_ metres: Double?) -> Int32 {
        guard let metres, metres > 0 else { return 0 }
        return Int32(nearest: min(metres, 100_000) * 100, .up)
    }

    /// Metres to centimetres; nil beyond ±100 km.
    static func altitude(_ metres: Double?) -> Int32? {
        guard let metres, abs(metres) <= 100_000 else { return nil }
        return Int32(nearest: metres * 100)
    }

    /// Metres per second to centimetres per second; nil below zero or beyond 2,000 m/s.
    static func speed(_ metresPerSecond: Double?) -> Int32? {
        guard let metresPerSecond, (0...2000).contains(metresPerSecond) else { return nil }
        return Int32(nearest: metresPerSecond * 100)
    }

    /// Degrees 0 to 360 to whole degrees 0 to 359; nil for anything else.
    static func course(_ degrees: Double?) -> Int32? {
        guard let degrees, (0...360).contains(degrees) else { return nil }
        return Int32(nearest: degrees) % 360
    }
}
