import Model
import Parsing
import Testing
import Wire
import WireSamples

@Suite struct `The event codec` {
    @Test func `has a sample of every kind`() {
        #expect(Set(EventSamples.events.map(\.kind)) == Set(EventKind.allCases))
    }

    /// Events are looked up by their kind's name, and services pass them on by their number.
    @Test func `has a row of its own for every kind`() throws {
        let rows = EventKind.allCases.map(\.row)
        #expect(Set(rows.map(\.type)).count == rows.count)
        for kind in EventKind.allCases {
            let event = try #require(EventSamples.events.first { $0.kind == kind })
            let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
            #expect(try EventCodec.decode(EventCodec.encode(event)).kind == kind)
            #expect(json["type"]?.string == kind.row.type)
            #expect(
                (kind.row.removed != nil) == kind.type.hasSuffix("-removed")
                    || kind.row.stream == .input)
        }
    }

    @Test(arguments: EventSamples.events)
    func `decodes every kind as it was encoded`(event: Event) throws {
        let record = try EventCodec.encode(event)
        #expect(record.kind == event.kind.rawValue)
        #expect(record.id == event.id.raw)
        #expect(try EventCodec.decode(record) == event)
        #expect(try EventCodec.encode(event) == record)
    }

    @Test(arguments: EventSamples.events)
    func `represents every kind as a CloudEvent`(event: Event) throws {
        let position = Position(incarnation: .zero, sequence: 42, hash: 7)
        let json = try EventCodec.cloudEvent(event, stream: .sos, position: position)
        #expect(json["specversion"] == "1.0")
        #expect(json["id"]?.string == event.id.description)
        #expect(json["type"]?.string == event.kind.type)
        #expect(json["time"] == "2023-11-14T22:13:20.123Z")
        #expect(json["datacontenttype"] == "application/json")
        #expect(json["subject"]?.string == event.body.person?.description)
        #expect(json["jagastream"] == "sos")
        #expect(json["jagaseq"] == 42)
        #expect(json["jagatrace"]?.string ?? "" == event.trace)
        #expect(json["source"]?.string?.hasPrefix("/jaga/") == true)
        #expect(json["data"]?.object?.isEmpty == false)
        #expect(try JSON.parse(json.serialized()) == json)
    }

    @Test(arguments: [
        (EventKind.inputReport, "ingest"), (.sosRaised, "ingest"), (.zoneEntered, "evaluator"),
        (.deadlineScheduled, "evaluator"), (.personChanged, "membership"),
        (.deadlineExpired, "timer"),
        (.escalationTierStarted, "notifier"),
    ])
    func `names the service that emits the event`(kind: EventKind, service: String) throws {
        let event = try #require(EventSamples.events.first { $0.kind == kind })
        let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
        #expect(json["source"]?.string == "/jaga/\(service)")
    }

    /// Other services and programs of operators read these fields.
    @Test func `encodes positions and reporting as documented`() throws {
        let (person, device) = (PersonID(ID128(high: 1, low: 1)), DeviceID(ID128(high: 2, low: 1)))
        let emergency = EmergencyID(ID128(high: 3, low: 1))
        let time = Timestamp(milliseconds: 1_700_000_000_123)
        let fix = Fix(
            time: time, position: Coordinate(latitudeE7: 31_234_567, longitudeE7: 1_012_345_678),
            accuracyCentimetres: 512)
        let place =
            #"{"time":"2023-11-14T22:13:20.123Z","lat":3.1234567,"lon":101.2345678,"#
            + #""accuracy":5.12}"#
        let samples: [(body: EventBody, data: String)] = [
            (
                .sosPosition(
                    FollowedPosition(
                        person: person, emergency: emergency, fixes: [fix, fix], battery: 41,
                        charging: false, impairments: [.powerSave])),
                #"{"person":"\#(person)","emergency":"\#(emergency)","#
                    + #""fixes":[\#(place),\#(place)],"battery":41,"charging":false,"#
                    + #""impairments":["power-save"]}"#
            ),
            (
                .sosPosition(
                    FollowedPosition(person: person, emergency: emergency, fixes: [fix])),
                #"{"person":"\#(person)","emergency":"\#(emergency)","fixes":[\#(place)],"#
                    + #""impairments":[]}"#
            ),
            (
                .deviceReporting(
                    DeviceReporting(
                        person: person, device: device, isFirst: true, app: "owntracks",
                        lastReport: time, impairments: [.batteryOptimisation])),
                #"{"person":"\#(person)","device":"\#(device)","isFirst":true,"app":"owntracks","#
                    + #""lastReport":"2023-11-14T22:13:20.123Z","#
                    + #""impairments":["battery-optimisation"]}"#
            ),
        ]
        for (body, data) in samples {
            let event = Event(id: EventID(.zero), time: time, body: body)
            let json = try EventCodec.cloudEvent(event, stream: nil, position: nil)
            #expect(json["data"]?.text == data)
            #expect(try EventCodec.decode(EventCodec.encode(event)) == event)
        }
    }

    @Test func `keeps reports small`() throws {
        let event = try #require(EventSamples.events.first { $0.kind == .inputReport })
        #expect(try EventCodec.encode(event).wireBytes < 160)
    }

    @Test func `rejects kinds and schemas of a newer program`() throws {
        let known = try EventCodec.encode(EventSamples.events[1])
        for (kind, schema) in [(UInt16(9999), UInt16(1)), (known.kind, 2), (known.kind, 0)] {
            let record = Record(
                kind: kind, schema: schema, id: known.id, payload: known.payload)
            let error = #expect(throws: WireError.self) { try EventCodec.decode(record) }
            #expect(error?.code == .newer)
        }
    }

    @Test func `rejects payloads that do not match their record`() throws {
        let known = try EventCodec.encode(EventSamples.events[1])
        let report = try EventCodec.encode(EventSamples.events[0])
        let wrong = [
            Record(kind: 3, schema: 1, id: known.id, payload: known.payload),
            Record(kind: known.kind, schema: 1, id: .zero, payload: known.payload),
            Record(kind: known.kind, schema: 1, id: known.id, payload: []),
            Record(kind: known.kind, schema: 1, id: known.id, payload: Array("{}".utf8)),
            Record(kind: known.kind, schema: 1, id: known.id, payload: report.payload),
            Record(kind: 1, schema: 1, id: report.id, payload: Array(report.payload.dropLast())),
            Record(kind: 1, schema: 1, id: report.id, payload: report.payload + [0]),
        ]
        for record in wrong {
            let error = #expect(throws: WireError.self) { try EventCodec.decode(record) }
            #expect(error?.code == .payload || error?.code == .truncated)
        }
    }

    @Test func `keeps reports in a batch smaller`() throws {
        guard case .inputReport(var report) = EventSamples.events[0].body else { return }
        var event = EventSamples.events[0]
        var reports: [Report] = []
        for number in 0..<200 {
            report.id = ReportID(ID128(high: 1, low: UInt64(number)))
            reports.append(report)
        }
        event.body = .inputReports(ReportBatch(reports))
        #expect(try EventCodec.encode(event).wireBytes < 200 * 60)
    }

    @Test
    func `rejects batches of reports that are empty, truncated or have no first receive time`()
        throws
    {
        let record = try EventCodec.encode(GoldenVectors.reports)
        // Time, person, device, then the trace "req-1" and the count of reports.
        let count = 8 + 16 + 16 + 6
        func error(_ change: (inout [UInt8]) -> Void) -> WireError.Code? {
            var record = record
            change(&record.payload)
            return #expect(throws: WireError.self) { try EventCodec.decode(record) }?.code
        }
        #expect(error { $0[count] = 2 } == .truncated)
        #expect(error { $0[count] = 4 } == .truncated)
        #expect(error { $0[count + 1] = 255 } == .truncated)
        #expect(error { $0.removeLast() } == .truncated)
        #expect(error { $0.append(0) } == .truncated)
        #expect(error { $0[count] = 0 } == .payload)
        // The first report has no predecessor; then an unknown flag and an unknown trigger.
        #expect(error { $0[count + 3] |= 1 } == .payload)
        #expect(error { $0[count + 3] |= 2 } == .newer)
        #expect(error { $0[count + 4] = 9 } == .newer)
        for end in record.payload.indices { #expect(error { $0.removeSubrange(end...) } != nil) }
    }

    @Test func `cuts long texts of a report between characters`() throws {
        guard case .inputReport(var report) = EventSamples.events[0].body else { return }
        report.trace = String(repeating: "é", count: 200)
        var event = EventSamples.events[0]
        event.body = .inputReport(report)
        guard case .inputReport(let read) = try EventCodec.decode(EventCodec.encode(event)).body
        else { return }
        #expect(read.trace == String(repeating: "é", count: 127))
    }

    @Test func `rejects texts of a report that are not UTF-8`() throws {
        var record = try EventCodec.encode(GoldenVectors.report)
        let name = try #require(record.payload.firstRange(of: Array("req-1".utf8)))
        record.payload[name.lowerBound] = 0xFF
        let error = #expect(throws: WireError.self) { try EventCodec.decode(record) }
        #expect(error?.code == .payload)
    }

    @Test func `shows nothing of a payload in its errors`() throws {
        let payload = Array(#"{"id":"evt_1","type":"secret","time":"secret"}"#.utf8)
        let record = Record(kind: 2, schema: 1, id: .zero, payload: payload)
        let error = #expect(throws: WireError.self) { try EventCodec.decode(record) }
        #expect(error?.description.contains("secret") == false)
    }
}
