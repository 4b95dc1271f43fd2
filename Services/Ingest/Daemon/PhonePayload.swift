import Dialects
import IngestCore
import Model
import Parsing
import Web

/// What a phone sent, and the form in which it is kept where it cannot be used: the query, if the
/// app says something there, a line break and the body.
struct PhonePayload {
    var query = Query()
    var body: [UInt8]

    init(query: Query = Query(), body: [UInt8]) {
        self.query = query
        self.body = body
    }

    /// Undoes ``kept(by:)``. A form without a query becomes a query without a form, which says the
    /// same.
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
    /// Whether what it says may stand in the query.
    fileprivate var speaksInQueries: Bool {
        switch self {
        case .osmAnd, .gpsLogger, .openGTS: true
        default: false
        }
    }
}

extension IngestService {
    /// What an app's payload says.
    ///
    /// - Parameters:
    ///   - received: when it came
    ///   - key: of OwnTracks, where the device has one
    ///   - device: that sent it, where its app leaves something to how it is registered
    ///   - first: of a list, what stands before this place is passed over
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
                    client: device.flatMap { outside.replica.device($0)?.client } ?? ""),
                from: first)
        }
    }

    /// What something put aside says, read once more as what came when it came: whole, or the part
    /// of a batch that was kept.
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
        // What says nothing is not put aside, unless it was a part of something.
        case .osmAnd where reading.isEmpty: wrapped(#"{"location":"#, "}")
        default: reading
        }
    }

    /// Gives something put aside to its reader again, such as after a new release or once the
    /// device's passphrase is known. Of a long list one portion is read, and where the next begins
    /// is kept.
    ///
    /// - Throws: 409 where that is no use
    func retry(_ entry: QuarantineEntry, _ request: Request) throws {
        guard let device = entry.device, let client = entry.client,
            outside.replica.device(device)?.person == entry.person
        else {
            throw Problem.conflict(
                "the phone that sent it is gone", hint: "drop it: DELETE the entry")
        }
        guard entry.size == entry.payload.count else {
            throw Problem.conflict(
                "only the first \(entry.payload.count) of \(entry.size) bytes were kept",
                hint: "look at them and drop it: DELETE the entry")
        }
        guard outside.diskPressure < .tight else { throw Problem.diskNearlyFull("old reports") }
        var reading = readAgain(entry, of: client)
        let rest = reading.rejections.firstIndex { $0.reason == .tooMany && $0.index > entry.next }
        let next = rest.map { reading.rejections.remove(at: $0).index }
        try take(
            .redelivery(
                Redelivery(
                    request: request.id, entry: entry.id, device: device, person: entry.person,
                    client: client,
                    received: entry.times.received,
                    arrivals: try arrivals(reading.observations, of: device),
                    panics: reading.panics, rejections: reading.rejections, news: reading.news,
                    portion: entry.next > 0 || next != nil
                        ? Redelivery.Portion(isSpoilt: entry.isSpoilt, next: next) : nil,
                    trace: entry.texts.trace)))
    }
}

extension Rejection {
    /// The body itself is of no use, for this reason, and not a part of it.
    fileprivate func isWholeBody(_ cause: QuarantineReason) -> Bool {
        reason == cause && payload == nil
    }
}

extension Reading {
    /// Nothing of it is a report, a call, or of no use.
    fileprivate var isEmpty: Bool {
        observations.isEmpty && panics.isEmpty && rejections.isEmpty
    }
}
