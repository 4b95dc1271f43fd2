import Model

/// Binary codec of reports, the most frequent events: one report, or several of a device in one
/// record.
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
        /// Received by the same request as the previous report of the batch.
        static let together = Flags(rawValue: 256)
    }

    /// Bytes of a report in a batch, without the trace of its request.
    private static let bytesInBatch = 61

    // MARK: Single reports

    static func encode(_ report: Report, of event: Event) -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        put(flags(of: report), of: report, to: &writer)
        writer.put(event.time.microseconds)
        writer.put(report.received.microseconds)
        put(report.fix, to: &writer)
        writer.put(report.id.raw)
        writer.put(report.person.raw)
        writer.put(report.device.raw)
        writer.put(short: event.trace)
        writer.put(short: report.trace)
        return writer.bytes
    }

    static func decode(_ record: Record) throws(WireError) -> Event {
        var reader = ByteReader(record.payload, operation: "decode report")
        let head = try Head(from: &reader)
        guard !head.flags.contains(.together) else {
            throw WireError(.newer, reader.operation, "unknown flag")
        }
        let time = try reader.time()
        let received = try reader.time()
        let fix = try fix(from: &reader, flags: head.flags)
        let id = ReportID(try reader.id())
        let person = PersonID(try reader.id())
        let device = DeviceID(try reader.id())
        let eventTrace = try reader.shortText()
        let trace = try reader.shortText()
        try reader.finish()
        let report = head.report(id, of: person, device, fix, received: received, trace: trace)
        return Event(
            id: EventID(record.id), time: time, trace: eventTrace, body: .inputReport(report))
    }

    // MARK: Batches

    static func encode(_ batch: ReportBatch, of event: Event) -> [UInt8] {
        var writer = ByteWriter(capacity: 160 + batch.reports.count * bytesInBatch)
        writer.put(event.time.microseconds)
        writer.put(batch.person.raw)
        writer.put(batch.device.raw)
        writer.put(short: event.trace)
        writer.put(UInt16(clamping: batch.reports.count))
        var before: (received: Timestamp, trace: String)?
        for report in batch.reports {
            var flags = flags(of: report)
            if let before, before == (report.received, report.trace) { flags.insert(.together) }
            put(flags, of: report, to: &writer)
            if !flags.contains(.together) {
                writer.put(report.received.microseconds)
                writer.put(short: report.trace)
                before = (report.received, report.trace)
            }
            put(report.fix, to: &writer)
            writer.put(report.id.raw)
        }
        return writer.bytes
    }

    static func decodeBatch(_ record: Record) throws(WireError) -> Event {
        var reader = ByteReader(record.payload, operation: "decode reports")
        let time = try reader.time()
        let person = PersonID(try reader.id())
        let device = DeviceID(try reader.id())
        let eventTrace = try reader.shortText()
        let count = Int(try reader.number(UInt16.self))
        guard count > 0 else { throw WireError(.payload, reader.operation, "empty batch") }
        var reports: [Report] = []
        reports.reserveCapacity(min(count, reader.remaining / 48))
        var before: (received: Timestamp, trace: String)?
        for _ in 0..<count {
            let head = try Head(from: &reader)
            if !head.flags.contains(.together) {
                before = (try reader.time(), try reader.shortText())
            }
            guard let before else {
                throw WireError(.payload, reader.operation, "first report has no receive time")
            }
            let fix = try fix(from: &reader, flags: head.flags)
            reports.append(
                head.report(
                    ReportID(try reader.id()), of: person, device, fix,
                    received: before.received, trace: before.trace))
        }
        try reader.finish()
        return Event(
            id: EventID(record.id), time: time, trace: eventTrace,
            body: .inputReports(ReportBatch(reports)))
    }

    // MARK: Common parts

    /// The first fields of a report.
    private struct Head {
        let flags: Flags
        let trigger: Trigger
        let battery: UInt8

        init(from reader: inout ByteReader) throws(WireError) {
            flags = Flags(rawValue: try reader.number())
            let code = try reader.number(UInt8.self)
            guard flags.rawValue < 512, let trigger = Trigger(rawValue: code) else {
                throw WireError(.newer, reader.operation, "unknown flag or trigger")
            }
            self.trigger = trigger
            battery = try reader.number()
        }

        func report(
            _ id: ReportID, of person: PersonID, _ device: DeviceID, _ fix: Fix,
            received: Timestamp, trace: String
        ) -> Report {
            Report(
                id: id, person: person, device: device, fix: fix, trigger: trigger,
                battery: flags.contains(.battery) ? battery : nil,
                charging: flags.contains(.chargingKnown) ? flags.contains(.charging) : nil,
                clockSkew: flags.contains(.clockSkew), late: flags.contains(.late),
                received: received, trace: trace)
        }
    }

    private static func put(_ flags: Flags, of report: Report, to writer: inout ByteWriter) {
        writer.put(flags.rawValue)
        writer.put(report.trigger.rawValue)
        writer.put(report.battery ?? 0)
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

    private static func put(_ fix: Fix, to writer: inout ByteWriter) {
        writer.put(fix.time.microseconds)
        writer.put(fix.position.latitudeE7)
        writer.put(fix.position.longitudeE7)
        writer.put(fix.accuracyCentimetres)
        writer.put(fix.altitudeCentimetres ?? 0)
        writer.put(fix.speedCentimetresPerSecond ?? 0)
        writer.put(fix.courseDegrees ?? 0)
    }

    private static func fix(
        from reader: inout ByteReader, flags: Flags
    ) throws(WireError) -> Fix {
        let time = try reader.time()
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
