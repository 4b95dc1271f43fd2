/// Reason why a phone sent a report.
public enum Trigger: UInt8, Sendable, Codable, CaseIterable {
    case periodic = 0
    case significant = 1
    case manual = 2
    case panic = 3
    case ping = 4
}

/// Position of a device at one time, with its accuracy.
///
/// All values are integers, so that evaluators compute the same results on every processor.
public struct Fix: Hashable, Sendable {
    /// When the position was measured.
    public var time: Timestamp
    public var position: Coordinate
    /// Radius of 68 % confidence in centimetres; 0 = unknown (50 m are assumed).
    public var accuracyCentimetres: Int32
    /// Above the ellipsoid or the sea, as the phone reports it.
    public var altitudeCentimetres: Int32?
    /// Over ground, centimetres per second.
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

    /// Decodes degrees, metres and metres per second.
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
public struct Report: PersonPayload {
    /// BLAKE2b-128 of the duplicate key: (device, client's message id), or without such an id
    /// (device, fix time, latitude, longitude).
    public var id: ReportID
    public var person: PersonID
    public var device: DeviceID
    public var fix: Fix
    public var trigger: Trigger
    /// Percent, 0 to 100.
    public var battery: UInt8?
    public var charging: Bool?
    /// Whether the phone's time was more than 120 s after the arrival; the fix then has the receive
    /// time.
    public var clockSkew: Bool
    /// Whether it is older than the newest fix of this device, so that it is history only.
    public var late: Bool
    /// When ingest received it.
    public var received: Timestamp
    /// Trace id of the request that contained it.
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
