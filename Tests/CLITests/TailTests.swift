import Hosting
import Model
import Parsing
import Testing
import Wire

@testable import JagaCLI

@Suite struct `A tail` {
    private let now = Timestamp(seconds: 1_795_170_000)

    private func filter(_ options: String...) throws -> EventFilter {
        try EventFilter(Call(options, of: Tail.syntax, environment: [:]), now: now)
    }

    private func event(_ body: EventBody, secondsAgo: Int64 = 0) -> Event {
        Event(
            id: EventID(ID128(high: 1, low: 2)), time: now - .seconds(secondsAgo), body: body)
    }

    @Test func `shows all events by default`() throws {
        let filter = try filter()
        #expect(!filter.wantsStored)
        #expect(filter.includes(.sos) && filter.includes(.input(Partition.all[63])))
        let old = event(.inputLogic(.init(version: 1)), secondsAgo: 999_999)
        #expect(filter.includes(old, on: .sos))
        #expect(filter.matchesCircle(old, [], isMember: { _ in false }))
    }

    @Test func `shows one stream, or one of its partitions`() throws {
        let all = try filter("--stream", "events", "--stream", "sos")
        #expect(all.includes(.events(Partition.all[0])) && all.includes(.events(Partition.all[63])))
        #expect(
            all.includes(.sos) && !all.includes(.deadlines)
                && !all.includes(.input(Partition.all[1])))
        let one = try filter("--stream", "events/17")
        #expect(
            one.includes(.events(Partition.all[17])) && !one.includes(.events(Partition.all[1])))
        #expect(throws: CommandError.self) { try filter("--stream", "event") }
    }

    @Test func `filters by type prefix and by person`() throws {
        let filter = try filter("--type", "jaga.input")
        #expect(filter.includes(event(.inputLogic(.init(version: 1))), on: .sos))
        #expect(!filter.includes(event(.zoneRemoved(.init(zone: ZoneID(.zero)))), on: .directory))
        let anna = try self.filter("--person", "\(PersonID(.zero))")
        let other = try self.filter("--person", "\(PersonID(ID128(high: 1, low: 2)))")
        let entered = event(.zoneEntered(try crossing()))
        #expect(anna.includes(entered, on: .sos) && !other.includes(entered, on: .sos))
        #expect(!anna.includes(event(.inputLogic(.init(version: 1))), on: .sos))
    }

    @Test func `accepts streams and types as parameters`() throws {
        let filter = try filter("sos", "zone")
        let entered = event(.zoneEntered(try crossing()))
        let other = event(.inputLogic(.init(version: 1)))
        #expect(filter.includes(.sos) && filter.includes(.events(Partition.all[17])))
        #expect(filter.includes(entered, on: .events(Partition.all[17])))
        #expect(filter.includes(other, on: .sos))
        #expect(!filter.includes(other, on: .input(Partition.all[17])))
        let one = try self.filter("events/17")
        #expect(one.includes(.events(Partition.all[17])) && !one.includes(.sos))
        #expect(throws: CommandError.self) { try self.filter("zones") }
    }

    @Test func `shows events that name a circle or concern its members`() throws {
        let circle = "\(CircleID(ID128(high: 3, low: 1)))"
        let filter = try filter("--circle", circle)
        let nobodys = event(.inputLogic(.init(version: 1)))
        let entered = event(.zoneEntered(try crossing()))
        let naming: JSON = ["data": ["zones": [["circle": .string(circle)]]]]
        let other: JSON = ["data": ["circle": "cir_2", "count": 1]]
        #expect(filter.matchesCircle(nobodys, naming, isMember: { _ in false }))
        #expect(!filter.matchesCircle(nobodys, other, isMember: { _ in true }))
        #expect(filter.matchesCircle(entered, other, isMember: { $0 == PersonID(.zero) }))
        #expect(!filter.matchesCircle(entered, other, isMember: { _ in false }))
        #expect(throws: CommandError.self) { try self.filter("--circle", "cir_1") }
        for name in ["Anna", "per_nope", ""] {
            let error = #expect(throws: CommandError.self) { try self.filter("--person", name) }
            #expect(error?.status == 2)
        }
    }

    @Test func `renders one short line with time, type, person and short fields`() {
        let event: JSON = [
            "type": "jaga.zone.entered", "subject": "per_1", "time": "2026-11-20T10:20:00.123Z",
            "jagastream": "events/17", "jagaseq": 4711,
            "data": [
                "inside": true, "zone": ["name": "Home", "kind": "safe"], "note": "***",
                "at": "2026-11-20T10:20:00.123Z", "list": [1, 2], "place": nil,
            ],
        ]
        let line = "10:20:00  zone.entered              zone=Home  per_1  inside=true"
        #expect(TailPrinter.summary(of: event, columns: 80) == line)
        #expect(TailPrinter.summary(of: event, columns: 30) == line.prefix(29) + "…")
        #expect(TailPrinter.summary(of: event, columns: 20) == "10:20:00  zone.entered…")
    }

    @Test func `shows a crossing's zone name on 80 columns, and no forged line`() throws {
        let entered = Event(
            id: EventID(ID128(high: 1, low: 2)), time: now, body: .zoneEntered(try crossing()))
        let json = try EventCodec.cloudEvent(
            entered, stream: .events(Partition.all[17]),
            position: Position(incarnation: .zero, sequence: 1, hash: 0))
        let line = TailPrinter.summary(of: json, columns: 80)
        #expect(line.contains("  zone.entered              zone=Home  per_"), "\(line)")
        let masked = TailPrinter.summary(of: Masking.mask(json), columns: 80)
        #expect(!masked.contains("Home") && masked.contains("per_"), "\(masked)")
        let forged: JSON = [
            "type": "jaga.acknowledgement.committed", "time": "2026-11-20T10:20:00Z",
            "data": ["note": "ok\n10:20:00  emergency.resolved"],
        ]
        let shown = TailPrinter.summary(of: forged, columns: 200)
        #expect(shown.contains(#"note=ok\n10:20:00"#) && !shown.contains("\n"))
    }

    private func crossing() throws -> ZoneCrossing {
        ZoneCrossing(
            person: PersonID(.zero), device: DeviceID(.zero), zone: ZoneID(.zero), zoneName: "Home",
            zoneKind: .safe, circle: nil, before: .outside, after: .inside, fix: try fix(),
            distanceCentimetres: -5000, marginCentimetres: 2000, reason: .insideBeyondMargin,
            report: ReportID(.zero))
    }

    private func fix() throws -> Fix {
        Fix(time: now, position: try #require(Coordinate(latitude: 3.1, longitude: 101.6)))
    }

    @Test(arguments: [
        ("30s", 30), ("10m", 600), ("2h", 7200), ("1d", 86_400), ("2026-11-20T10:20:00Z", 0),
    ])
    func `shows the past from an age or a time`(text: String, age: Int64) throws {
        let call = try Call(["--since", text], of: Tail.syntax, environment: [:])
        let time = try call.moment("--since", now: now)
        #expect(time == (age > 0 ? now - .seconds(age) : Timestamp("2026-11-20T10:20:00Z")))
        let filter = try filter("--since", text)
        #expect(filter.wantsStored)
        #expect(
            !filter.includes(event(.inputLogic(.init(version: 1)), secondsAgo: 999_999), on: .sos))
    }

    @Test(arguments: ["", "m", "10", "10w", "-5m", "yesterday"])
    func `refuses what is no time`(text: String) {
        #expect(throws: CommandError.self) { _ = try filter("--since", text) }
    }

    @Test func `masks positions and contact points`() throws {
        let fix = Fix(
            time: now, position: try #require(Coordinate(latitude: 3.1, longitude: 101.6)),
            altitudeCentimetres: 1200)
        let place = try JSON.encode(fix)
        let body: JSON = [
            "type": "jaga.zone.entered", "time": "2026-11-20T10:20:00.000Z",
            "data": [
                "person": "per_1", "zoneName": "Home", "inside": true, "note": .null,
                "fix": place, "contacts": [["channel": "sms", "address": "+1555"]],
            ],
        ]
        let masked = Masking.mask(body)
        #expect(masked["type"] == body["type"])
        let data = try #require(masked["data"])
        #expect(data["person"]?.string == "per_1")
        #expect(data["inside"]?.bool == true)
        #expect(data["note"] == .null)
        #expect(data["zoneName"]?.string == "***")
        for key in ["lat", "lon", "altitude"] {
            #expect(data["fix"]?[key]?.string == "***")
        }
        #expect(data["contacts"]?.string == "***")
        let text = masked.text
        for secret in ["3.1", "101.6", "Home", "+1555"] { #expect(!text.contains(secret)) }
    }

    @Test func `masks zone messages, recipients and distances`() throws {
        let message = ZoneMessage(
            id: MessageID(.zero), owner: .person(PersonID(.zero)), senderName: "Ai",
            recipientName: "Mum", number: "+60129999999", line: "Fetch me")
        let due = DueMessages(
            person: PersonID(.zero), zones: [], zoneNames: ["Clinic"], transitions: [.enter],
            messages: [],
            fix: Fix(time: now, position: Coordinate(latitudeE7: 1, longitudeE7: 2)))
        let crossing: JSON = ["distanceCentimetres": 4711, "reason": "initial"]
        let events: [JSON] = [
            ["type": "jaga.directory.message", "data": try JSON.encode(message)],
            ["type": "jaga.messages.due", "data": try JSON.encode(due)],
            ["type": "jaga.zone.entered", "data": crossing],
        ]
        for json in events {
            let text = Masking.mask(json).text
            for secret in ["Ai\"", "Mum", "+6012", "Fetch", "Clinic", "4711"] {
                #expect(!text.contains(secret))
            }
        }
        #expect(Masking.mask(events[2])["data"]?["reason"] == "initial")
    }
}
