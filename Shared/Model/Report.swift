/// What made a phone send a report.
public enum Trigger: UInt8, Sendable, Codable, CaseIterable {
    case periodic = 0
    case significant = 1
    case manual = 2
    case panic = 3
    case ping = 4
}

/// Where a device was, when, and how sure it is.
///
/// Integers throughout, so that an evaluator decides alike on every processor.
public struct Fix: Hashable, Sendable {
    /// When the position was taken.
    public var time: Timestamp
    public var position: Coordinate
    /// Radius of 68 % confidence in centimetres; 0 = unknown (50 m are assumed).
    public var accuracyCentimetres: Int32
    /// Above the ellipsoid or the sea, as the phone says.
    public var altitudeCentimetres: Int32?
    /// Over ground, centimetres a second.
    public var speedCentimetresPerSecond: Int32?
    /// Degrees clockwise from north, 0 to 359.
    public var courseDegrees: Int32?

    public init(
        time: Timestamp, position: Coordinate, accuracyCentimetres: Int32 = 0,
        altitudeCentimetres: Int32? = nil, speedCentimetresPerSecond: Int32? = nil,
        courseDegrees: Int32? = nil
    ) {
        self.time = time
        self.position = position
        self.accuracyCentimetres = accuracyCentimetres
        self.altitudeCentimetres = altitudeCentimetres
        self.speedCentimetresPerSecond = speedCentimetresPerSecond
        self.courseDegrees = courseDegrees
    }
}

extension Fix: Codable {
    private enum CodingKeys: String, CodingKey {
        case time, lat, lon, accuracy, altitude, speed, course
    }

    /// Reads degrees, metres and metres a second.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = try container.decode(Timestamp.self, forKey: .time)
        position = try Coordinate(from: decoder)
        func hundredths(_ key: CodingKeys) throws -> Int32? {
            guard let value = try container.decodeIfPresent(Double.self, forKey: key) else {
                return nil
            }
            guard abs(value) < 20_000_000 else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "out of range")
            }
            return Int32(nearest: value * 100)
        }
        accuracyCentimetres = try hundredths(.accuracy) ?? 0
        altitudeCentimetres = try hundredths(.altitude)
        speedCentimetresPerSecond = try hundredths(.speed)
        courseDegrees = try container.decodeIfPresent(Int32.self, forKey: .course)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time, forKey: .time)
        try container.encode(position.latitude, forKey: .lat)
        try container.encode(position.longitude, forKey: .lon)
        if accuracyCentimetres > 0 {
            try container.encode(Double(accuracyCentimetres) / 100, forKey: .accuracy)
        }
        try container.encodeIfPresent(
            altitudeCentimetres.map { Double($0) / 100 }, forKey: .altitude)
        try container.encodeIfPresent(
            speedCentimetresPerSecond.map { Double($0) / 100 }, forKey: .speed)
        try container.encodeIfPresent(courseDegrees, forKey: .course)
    }
}

/// One fix of one device, as it is stored and as it enters `in/p`.
public struct Report: Hashable, Sendable, Codable {
    /// BLAKE2b-128 of the duplicate key: (device, client's message id), else
    /// (device, fix time, latitude, longitude).
    public var id: ReportID
    public var person: PersonID
    public var device: DeviceID
    public var fix: Fix
    public var trigger: Trigger
    /// Percent, 0 to 100.
    public var battery: UInt8?
    public var charging: Bool?
    /// The fix said more than 120 s after its arrival; its time is then the receive time.
    public var clockSkew: Bool
    /// Older than the newest fix of this device: history, never live state.
    public var late: Bool
    /// When ingest received it.
    public var received: Timestamp
    /// The request that brought it, for following it to the last receipt.
    public var trace: String

    public init(
        id: ReportID, person: PersonID, device: DeviceID, fix: Fix, trigger: Trigger = .periodic,
        battery: UInt8? = nil, charging: Bool? = nil, clockSkew: Bool = false, late: Bool = false,
        received: Timestamp, trace: String = ""
    ) {
        self.id = id
        self.person = person
        self.device = device
        self.fix = fix
        self.trigger = trigger
        self.battery = battery
        self.charging = charging
        self.clockSkew = clockSkew
        self.late = late
        self.received = received
        self.trace = trace
    }
}
