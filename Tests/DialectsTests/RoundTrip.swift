import Dialects
import Model
import Parsing

/// Property of every dialect: any input of a phone yields values within the model's bounds.
/// Checked by tests and by the fuzzer.
enum RoundTrip {
    /// Format in which bytes are read.
    enum Form: UInt8, CaseIterable {
        case ownTracks, jaga, emergency, overland, osmAnd, gpsLogger, openGTS
    }

    /// Input for the check: the first byte selects the format, then follow the query, a line break
    /// and the body.
    static func input(_ form: Form, _ query: Query = Query(), _ body: [UInt8]) -> [UInt8] {
        [form.rawValue] + Array(query.encoded.utf8) + [UInt8(ascii: "\n")] + body
    }

    /// Payloads of every client.
    static var samples: [[UInt8]] {
        let folders: [(Form, String)] = [
            (.ownTracks, "owntracks"), (.jaga, "jaga"), (.emergency, "jaga"),
            (.overland, "overland"), (.osmAnd, "osmand"), (.gpsLogger, "gpslogger"),
            (.openGTS, "opengts"),
        ]
        return folders.flatMap { form, folder in
            Golden.all(of: folder).map { input(form, $0.query, $0.body) }
        }
    }

    /// Describes a violation; nil if there is none.
    static func complaint(about input: [UInt8]) -> String? {
        guard let first = input.first,
            let form = Form(rawValue: first % UInt8(Form.allCases.count))
        else { return nil }
        let bytes = input.dropFirst()
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let query = Query(encoded: String(decoding: line, as: UTF8.self))
        let body = Array(bytes.dropFirst(line.count + 1))
        if form == .emergency {
            let call = JagaEmergency.read(body, received: Golden.received)
            let seconds = call.countdownSeconds ?? 0
            guard (0...86_400).contains(seconds) else { return "a countdown of \(seconds) s" }
            return call.observation.flatMap(complaint)
        }
        return complaint(about: read(form, query, body))
    }

    private static func read(_ form: Form, _ query: Query, _ body: [UInt8]) -> Reading {
        switch form {
        case .ownTracks:
            let app: OwnTracks.App = query.items.isEmpty ? .other : .overland
            return OwnTracks.read(
                body, from: app, received: Golden.received, sosWord: Golden.sosWord,
                key: OwnTracks.Key(passphrase: Golden.passphrase))
        case .jaga, .emergency:
            return JagaReports.read(body, received: Golden.received)
        case .overland: return Overland.read(body, received: Golden.received)
        case .osmAnd: return OsmAnd.read(query, body, received: Golden.received)
        case .gpsLogger:
            return GPSLogger.read(
                query, body, received: Golden.received, sosWord: Golden.sosWord)
        case .openGTS: return OpenGTS.read(query, body, received: Golden.received)
        }
    }

    private static func complaint(about reading: Reading) -> String? {
        if let index = reading.rejections.map(\.index).min(), index < 0 {
            return "a rejection has the index \(index)"
        }
        if let wrong = reading.observations.lazy.compactMap(complaint).first { return wrong }
        if let wrong = reading.panics.lazy.compactMap(\.fix).compactMap(complaint).first {
            return wrong
        }
        let zone = reading.status.zones.first { $0.radiusMetres <= 0 || !isOnEarth($0.center) }
        return zone.map { "\($0) is no zone" }
    }

    private static func complaint(about observation: Observation) -> String? {
        if let battery = observation.battery, battery > 100 { return "a battery of \(battery) %" }
        if let id = observation.messageID, !(1...160).contains(id.utf8.count) {
            return "an id of \(id.utf8.count) bytes"
        }
        return complaint(about: observation.fix)
    }

    private static func complaint(about fix: Fix) -> String? {
        let isWithin =
            isOnEarth(fix.position) && fix.time > .zero
            // The last day of the year 9999, west of Greenwich.
            && fix.time.seconds < 253_402_387_200
            && (0...10_000_000).contains(fix.accuracyCentimetres)
            && (-10_000_000...10_000_000).contains(fix.altitudeCentimetres ?? 0)
            && (0...200_000).contains(fix.speedCentimetresPerSecond ?? 0)
            && (0...359).contains(fix.courseDegrees ?? 0)
        return isWithin ? nil : "\(fix) is out of bounds"
    }

    private static func isOnEarth(_ position: Coordinate) -> Bool {
        abs(position.latitudeE7) <= 900_000_000 && abs(position.longitudeE7) <= 1_800_000_000
    }
}
