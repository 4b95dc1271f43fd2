import Model
import Parsing

/// Converts events to records and back.
///
/// A payload is the event as CloudEvents 1.0 in JSON, except for reports, which are compact binary
/// (``ReportCodec``).
public enum EventCodec {
    /// Version of the payloads; others are rejected.
    public static let schema: UInt16 = 1

    /// - Throws: `payload` for numbers that JSON cannot represent, `oversized`
    public static func encode(_ event: Event) throws(WireError) -> Record {
        let payload: [UInt8]
        switch event.body {
        case .inputReport(let report): payload = ReportCodec.encode(report, of: event)
        case .inputReports(let batch): payload = ReportCodec.encode(batch, of: event)
        default: payload = try cloudEvent(event, stream: nil, position: nil).serialized()
        }
        let record = Record(
            kind: event.kind.rawValue, schema: schema, id: event.id.raw, payload: payload)
        guard record.wireBytes <= WireLimits.recordBytesMax else {
            throw WireError(.oversized, "encode event", "\(event.kind) of \(payload.count) bytes")
        }
        return record
    }

    /// - Throws: `newer` for an unknown kind or schema, `payload` for a malformed payload
    public static func decode(_ record: Record) throws(WireError) -> Event {
        guard let kind = EventKind(rawValue: record.kind), record.schema == schema else {
            throw WireError(
                .newer, "decode event", "kind \(record.kind) in schema \(record.schema)")
        }
        if kind == .inputReport { return try ReportCodec.decode(record) }
        if kind == .inputReports { return try ReportCodec.decodeBatch(record) }
        do {
            let json = try JSON.parse(record.payload)
            let head = try json.decode(CloudEventHead.self)
            guard head.id.raw == record.id, head.type == kind.type else {
                throw WireError(.payload, "decode event", "id or type differs from the record's")
            }
            let body = try kind.row.read(JSONPayload(json: json["data"] ?? .null))
            return Event(id: head.id, time: head.time, trace: head.jagatrace ?? "", body: body)
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.payload, "decode event", "\(kind): \(error)")
        }
    }

    /// Returns an event of any kind as CloudEvents 1.0 in JSON.
    ///
    /// - Parameters:
    ///   - stream: value of `jagastream`, if given
    ///   - position: its sequence is the value of `jagaseq`, if given
    /// - Throws: `payload` for numbers that JSON cannot represent
    public static func cloudEvent(
        _ event: Event, stream: StreamName?, position: Position?
    ) throws(WireError) -> JSON {
        var members: [JSON.Member] = [
            .init("specversion", "1.0"),
            .init("id", .string(event.id.description)),
            .init("source", .string("/jaga/\(event.body.source.rawValue)")),
            .init("type", .string(event.kind.type)),
        ]
        if let person = event.body.person {
            members.append(.init("subject", .string(person.description)))
        }
        members.append(.init("time", .string(event.time.description)))
        members.append(.init("datacontenttype", "application/json"))
        if !event.trace.isEmpty { members.append(.init("jagatrace", .string(event.trace))) }
        if let stream { members.append(.init("jagastream", .string(stream.text))) }
        if let position {
            members.append(.init("jagaseq", .integer(Int64(clamping: position.sequence))))
        }
        do {
            members.append(.init("data", try event.body.accept(DataVisitor())))
        } catch {
            throw WireError(.payload, "encode event", "\(event.kind): \(error)")
        }
        return .object(members)
    }
}

/// The attributes of a CloudEvent besides its data.
private struct CloudEventHead: Decodable {
    var id: EventID
    var type: String
    var time: Timestamp
    var jagatrace: String?
}

private struct DataVisitor: EventVisitor {
    func visit(_ kind: EventKind, _ payload: some EventPayload) throws(ParseError) -> JSON {
        try JSON.encode(payload)
    }
}

private struct JSONPayload: PayloadReader {
    let json: JSON

    func read<Payload: EventPayload>(_ type: Payload.Type) throws -> Payload {
        try json.decode(type)
    }
}
