import Dialects
import IngestCore
import Model
import Parsing
import Web

/// A phone's payload and its stored form: the query if the app uses one, a line break and the body.
struct PhonePayload {
    var query = Query()
    var body: [UInt8]

    init(query: Query = Query(), body: [UInt8]) {
        self.query = query
        self.body = body
    }

    /// Reverses ``kept(by:)``. A form without a query becomes a query without a form, which means
    /// the same.
    init(kept: [UInt8], by client: ClientApp) {
        guard client.speaksInQueries, !TraccarJSON.isJSON(kept) else {
            body = kept
            return
        }
        let end = kept.firstIndex(of: UInt8(ascii: "\n")) ?? kept.endIndex
        query = Query(encoded: String(decoding: kept[..<end], as: UTF8.self))
        body = Array(kept[end...].dropFirst())
    }

    func kept(by client: ClientApp) -> [UInt8] {
        guard client.speaksInQueries, !query.items.isEmpty else { return body }
        return Array(query.encoded.utf8) + (body.isEmpty ? [] : [UInt8(ascii: "\n")]) + body
    }
}

extension ClientApp {
    /// Whether it may send values in the query.
    fileprivate var speaksInQueries: Bool {
        switch self {
        case .osmAnd, .gpsLogger, .openGTS: true
        default: false
        }
    }
}

extension IngestService {
    /// Reads an app's payload.
    ///
    /// - Parameters:
    ///   - received: time of arrival
    ///   - key: the device's OwnTracks key, if it has one
    ///   - device: the sender, for apps whose units depend on how the device is registered
    ///   - first: entries of a list before this index are skipped
    func read(
        _ payload: PhonePayload, of client: ClientApp, received: Timestamp,
        key: OwnTracks.Key? = nil, device: DeviceID? = nil, from first: Int = 0
    ) -> Reading {
        if let app = client.ownTracks {
            return OwnTracks.read(
                payload.body, from: app, received: received, sosWord: sosWord, key: key)
        }
        let (query, body) = (payload.query, payload.body)
        return switch client {
        case .overland: Overland.read(body, from: first)
        case .gpsLogger: GPSLogger.read(query, body, received: received, sosWord: sosWord)
        case .openGTS: OpenGTS.read(query, body, received: received)
        case .jaga: JagaReports.read(body, received: received, from: first)
        default:
            OsmAnd.read(
                query, body, received: received,
                unit: OsmAnd.SpeedUnit(
                    client: device.flatMap { host.replica.device($0)?.client } ?? ""),
                from: first)
        }
    }

    /// Reads a quarantined payload again as of its arrival: the whole, or the stored part of a
    /// batch.
    private func readAgain(_ entry: QuarantineEntry, of client: ClientApp) -> Reading {
        let key = entry.device.flatMap { deviceKeys[$0] }
        let reading = read(
            PhonePayload(kept: entry.payload, by: client), of: client,
            received: entry.times.received, key: key, device: entry.device, from: entry.next)
        func wrapped(_ start: String, _ end: String) -> Reading {
            let whole = Array(start.utf8) + entry.payload + Array(end.utf8)
            return read(
                PhonePayload(body: whole), of: client, received: entry.times.received,
                device: entry.device)
        }
        return switch client {
        case .overland where reading.rejections.first?.isWholeBody(.notAnObject) == true:
            wrapped(#"{"locations":["#, "]}")
        // Empty payloads are not quarantined, unless they were part of a batch.
        case .osmAnd where reading.isEmpty: wrapped(#"{"location":"#, "}")
        default: reading
        }
    }

    /// Reads a quarantined payload again, for example after an upgrade or once the device's
    /// passphrase is known. Of a long list one portion is read, and the start of the next is
    /// stored.
    ///
    /// - Throws: 409 if that cannot succeed
    func retry(_ entry: QuarantineEntry, _ request: Request) throws {
        guard let device = entry.device, let client = entry.client,
            host.replica.device(device)?.person == entry.person
        else {
            throw Problem.conflict(
                "the device that sent it was removed", hint: "Delete the entry.")
        }
        guard entry.size == entry.payload.count else {
            throw Problem.conflict(
                "only the first \(entry.payload.count) of \(entry.size) bytes were stored",
                hint: "Check the payload, then delete the entry.")
        }
        guard host.diskPressure < .tight else { throw Problem.diskNearlyFull("old reports") }
        var reading = readAgain(entry, of: client)
        let rest = reading.rejections.firstIndex { $0.reason == .tooMany && $0.index > entry.next }
        let next = rest.map { reading.rejections.remove(at: $0).index }
        try handle(
            .quarantineRetry(
                QuarantineRetry(
                    request: request.id, entry: entry.id, device: device, person: entry.person,
                    client: client,
                    received: entry.times.received,
                    arrivals: try arrivals(reading.observations, of: device),
                    panics: reading.panics, rejections: reading.rejections, status: reading.status,
                    portion: entry.next > 0 || next != nil
                        ? QuarantineRetry.Portion(isIncomplete: entry.isIncomplete, next: next)
                        : nil,
                    trace: entry.texts.trace)))
    }
}

extension Rejection {
    /// Whether the body as a whole was rejected for this reason.
    fileprivate func isWholeBody(_ cause: QuarantineReason) -> Bool {
        reason == cause && payload == nil
    }
}

extension Reading {
    /// Whether it has no report, no call and no rejection.
    fileprivate var isEmpty: Bool {
        observations.isEmpty && panics.isEmpty && rejections.isEmpty
    }
}
