import Model

/// Reports as they stand in `in/p`: the one kind that comes thousands of times a second.
enum ReportCodec {
    private struct Flags: OptionSet {
        let rawValue: UInt16
        static let altitude = Flags(rawValue: 1)
        static let speed = Flags(rawValue: 2)
        static let course = Flags(rawValue: 4)
        static let battery = Flags(rawValue: 8)
        static let chargingKnown = Flags(rawValue: 16)
        static let charging = Flags(rawValue: 32)
        static let clockSkew = Flags(rawValue: 64)
        static let late = Flags(rawValue: 128)
        static let all = Flags(rawValue: 255)
    }

    static func encode(_ report: Report, of event: Event) -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.put(flags(of: report).rawValue)
        writer.put(report.trigger.rawValue)
        writer.put(report.battery ?? 0)
        writer.put(event.time.microseconds)
        writer.put(report.received.microseconds)
        writer.put(report.fix.time.microseconds)
        writer.put(report.fix.position.latitudeE7)
        writer.put(report.fix.position.longitudeE7)
        writer.put(report.fix.accuracyCentimetres)
        writer.put(report.fix.altitudeCentimetres ?? 0)
        writer.put(report.fix.speedCentimetresPerSecond ?? 0)
        writer.put(report.fix.courseDegrees ?? 0)
        writer.put(report.id.raw)
        writer.put(report.person.raw)
        writer.put(report.device.raw)
        writer.put(short: event.trace)
        writer.put(short: report.trace)
        return writer.bytes
    }

    private static func flags(of report: Report) -> Flags {
        var flags: Flags = []
        if report.fix.altitudeCentimetres != nil { flags.insert(.altitude) }
        if report.fix.speedCentimetresPerSecond != nil { flags.insert(.speed) }
        if report.fix.courseDegrees != nil { flags.insert(.course) }
        if report.battery != nil { flags.insert(.battery) }
        if report.charging != nil { flags.insert(.chargingKnown) }
        if report.charging == true { flags.insert(.charging) }
        if report.clockSkew { flags.insert(.clockSkew) }
        if report.late { flags.insert(.late) }
        return flags
    }

    static func decode(_ record: Record) throws(WireError) -> Event {
        var reader = ByteReader(record.payload, operation: "decode report")
        let flags = Flags(rawValue: try reader.number())
        let triggerCode = try reader.number(UInt8.self)
        guard flags.isSubset(of: .all), let trigger = Trigger(rawValue: triggerCode) else {
            throw WireError(.newer, reader.operation, "a flag or trigger that nobody knows")
        }
        let battery = try reader.number(UInt8.self)
        let time = Timestamp(microseconds: try reader.number())
        let received = Timestamp(microseconds: try reader.number())
        let fix = try fix(from: &reader, flags: flags)
        let id = ReportID(try reader.id())
        let person = PersonID(try reader.id())
        let device = DeviceID(try reader.id())
        let eventTrace = try reader.shortText()
        let trace = try reader.shortText()
        try reader.finish()
        let report = Report(
            id: id, person: person, device: device, fix: fix, trigger: trigger,
            battery: flags.contains(.battery) ? battery : nil,
            charging: flags.contains(.chargingKnown) ? flags.contains(.charging) : nil,
            clockSkew: flags.contains(.clockSkew), late: flags.contains(.late),
            received: received, trace: trace)
        return Event(
            id: EventID(record.id), time: time, trace: eventTrace, body: .inputReport(report))
    }

    private static func fix(
        from reader: inout ByteReader, flags: Flags
    ) throws(WireError) -> Fix {
        let time = Timestamp(microseconds: try reader.number())
        let position = Coordinate(
            latitudeE7: try reader.number(), longitudeE7: try reader.number())
        let accuracy = try reader.number(Int32.self)
        let altitude = try reader.number(Int32.self)
        let speed = try reader.number(Int32.self)
        let course = try reader.number(Int32.self)
        return Fix(
            time: time, position: position, accuracyCentimetres: accuracy,
            altitudeCentimetres: flags.contains(.altitude) ? altitude : nil,
            speedCentimetresPerSecond: flags.contains(.speed) ? speed : nil,
            courseDegrees: flags.contains(.course) ? course : nil)
    }
}
