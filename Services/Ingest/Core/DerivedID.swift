import Dialects
import Hashing
import Model

/// Ids that are derived from content: the same input always gets the same id.
public enum DerivedID {
    /// The duplicate key of a report: device and client's message id, otherwise device, fix time,
    /// latitude and longitude, all as the phone sent them.
    public static func report(_ observation: Observation, of device: DeviceID) -> ReportID {
        let message = observation.messageID?.utf8
        let count = 17 + (message?.count ?? 16)
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            bytes.storeBytes(of: device.raw.high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: device.raw.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            bytes[16] = message == nil ? 0 : 1
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[17...])
            if let message {
                rest.copyBytes(from: message)
            } else {
                let fix = observation.fix
                rest.storeBytes(of: fix.time.microseconds.littleEndian, as: Int64.self)
                rest.storeBytes(
                    of: fix.position.latitudeE7.littleEndian, toByteOffset: 8, as: Int32.self)
                rest.storeBytes(
                    of: fix.position.longitudeE7.littleEndian, toByteOffset: 12, as: Int32.self)
            }
            return ReportID(Hash.blake2b128(of: UnsafeRawBufferPointer(bytes)))
        }
    }

    /// The id of the record in `in/p` that carries reports of one device. For a single report it is
    /// the report's id; otherwise it is derived from the first report, which is in no other record.
    static func record(of reports: [Report]) -> EventID {
        let first = reports[0]
        guard reports.count > 1 else { return EventID(first.id.raw) }
        return Hash.derivedID(
            kind: .inputReports, person: first.person, subject: .id(first.device),
            cause: first.id.raw)
    }

    /// The id of the record in `in/p` that carries a completed report: equal values have equal ids.
    static func completion(of report: Report) -> EventID {
        func number(_ value: Int32?) -> HashPart {
            value.map { .number(Int64($0)) } ?? .none
        }
        let fix = report.fix
        let content = Hash.id(
            "completion", .id(report.id), .number(Int64(fix.accuracyCentimetres)),
            number(fix.altitudeCentimetres), number(fix.speedCentimetresPerSecond),
            number(fix.courseDegrees), number(report.battery.map(Int32.init)),
            number(report.charging.map { $0 ? 1 : 0 }))
        return Hash.derivedID(
            kind: .inputReport, person: report.person, subject: .id(report.device),
            cause: content)
    }

    /// The id of a signal: trigger, person, device and its message id. A repeated call is the same
    /// emergency, and devices that count alike do not collide.
    public static func signal(
        _ trigger: EmergencyTrigger, person: PersonID, device: DeviceID?, messageID: String
    ) -> EmergencyID {
        EmergencyID(
            Hash.id(
                "signal", .text(trigger.rawValue), .id(person), .id(device?.raw ?? .zero),
                .text(messageID)))
    }

    /// The id of an unusable payload of a sender.
    public static func quarantine(person: PersonID, device: DeviceID?, payload: [UInt8])
        -> QuarantineID
    {
        QuarantineID(
            Hash.id(
                "quarantine", .id(person), device.map { HashPart.id($0) } ?? .none,
                .bytes(payload)))
    }
}

extension [UInt8] {
    /// Appends an integer, little-endian.
    mutating func append(integer value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends the length, then UTF-8.
    mutating func append(text: String) {
        append(integer: UInt32(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
