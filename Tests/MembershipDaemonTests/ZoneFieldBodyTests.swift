import DirectoryViews
import Model
import Parsing
import Testing

@testable import MembershipCore
@testable import MembershipDaemon

@Suite struct ZoneFieldBodyTests {
    private func feature(_ properties: String) throws -> JSON {
        try json(
            """
            {'type': 'Feature', 'properties': {'name': 'School', 'radius': 150, \(properties)},
             'geometry': {'type': 'Point', 'coordinates': [101.7, 3.1]}}
            """)
    }

    /// A zone as it would be stored.
    private func zone(_ patch: ZonePatch) throws -> Zone {
        let drawing = try #require(patch.drawing)
        var zone = Zone(
            id: ZoneID(.zero), owner: .circle(CircleID(.zero)), name: "", shape: drawing.shape,
            prepared: drawing.prepared)
        patch.change(&zone)
        return zone
    }

    private let everything = """
        'kind': 'alert', 'category': 'School', 'priority': 3, 'inset': -12.5, 'alertDistance': 300,
        'dwell': 900, 'absentBy': '08:00', 'transitions': ['enter', 'approach', 'dwell', 'absent'],
        'schedule': {'timeZone': 'Asia/Kuala_Lumpur', 'windows': [
          {'days': ['mon', 'tue', 'fri'], 'from': '08:00', 'to': '15:00'},
          {'days': ['sat', 'sun'], 'from': '22:00', 'to': '06:00'},
          {'days': ['wed'], 'from': '00:00', 'to': '24:00'}], 'except': ['2026-12-25']},
        'alarm': {'vibrate': false, 'sound': 'Bell', 'cycle': 10, 'sleep': 0},
        'audience': {'roles': ['admin'], 'people': ['\(PersonID(ID128(high: 1, low: 2)))']},
        'messages': ['\(MessageID(ID128(high: 1, low: 9)))',
                     '\(MessageID(ID128(high: 1, low: 3)))'],
        'extra': ['AlertZoneColour,red']
        """

    @Test func `every field is read`() throws {
        let zone = try zone(
            ZoneBody.read(feature(everything), isNew: true, clocks: clocks))
        #expect(zone.insetCentimetres == -1250)
        #expect(zone.prepared.radiusCentimetres == 16_250)
        #expect(zone.alertDistanceMetres == 300)
        #expect(zone.dwellSeconds == 900)
        #expect(zone.absentByMinute == 480)
        #expect(zone.clock == ZoneClock(timeZone: "Asia/Kuala_Lumpur", firstOffset: 28_800))
        #expect(
            zone.schedule?.windows == [
                ZoneWindow(start: 480, end: 900), ZoneWindow(start: 1920, end: 2340),
                ZoneWindow(start: 2880, end: 4320), ZoneWindow(start: 6240, end: 6660),
                ZoneWindow(start: 8520, end: 9000), ZoneWindow(start: 9960, end: 10_440),
            ])
        #expect(zone.schedule?.exceptions == [20_812])
        #expect(
            zone.alarm
                == ZoneAlarm(vibrates: false, sound: "Bell", cycleSeconds: 10, sleepSeconds: 0))
        #expect(zone.audience?.roles == [.admin])
        #expect(zone.messages.map(\.raw.low) == [3, 9])
        #expect(zone.extra == ["AlertZoneColour,red"])
    }

    @Test func `a written zone is read back unchanged`() throws {
        for properties in [everything, "'absentBy': '07:30', 'timeZone': 'Europe/Berlin'"] {
            let patch = try ZoneBody.read(feature(properties), isNew: true, clocks: clocks)
            let zone = try zone(patch)
            let view = try JSON.parse(View.zone(zone).serialized())
            var again = zone
            try ZoneBody.read(view, isNew: false, before: zone, clocks: clocks).change(&again)
            #expect(again == zone)
        }
    }

    @Test func `null removes a field, and omitted fields stay`() throws {
        var zone = try zone(ZoneBody.read(feature(everything), isNew: true, clocks: clocks))
        let change = try json(
            """
            {'type': 'Feature', 'properties': {'schedule': null, 'absentBy': null,
             'audience': null, 'messages': [], 'alarm': {'sound': ''}}}
            """)
        try ZoneBody.read(change, isNew: false, before: zone, clocks: clocks).change(&zone)
        #expect(zone.schedule == nil)
        #expect(zone.absentByMinute == nil)
        #expect(zone.clock == nil)
        #expect(zone.audience == nil)
        #expect(zone.messages.isEmpty)
        #expect(zone.alarm.sound.isEmpty)
        #expect(zone.alarm.cycleSeconds == 10)
        #expect(zone.transitions == [.enter, .approach, .dwell])
    }

    @Test func `a new inset or radius applies to the stored shape`() throws {
        let zone = try zone(ZoneBody.read(feature("'inset': 10"), isNew: true, clocks: clocks))
        func radius(_ properties: String) throws -> Int32? {
            let body = try json("{'type': 'Feature', 'properties': {\(properties)}}")
            let patch = try ZoneBody.read(body, isNew: false, before: zone, clocks: clocks)
            return patch.drawing?.prepared.radiusCentimetres
        }
        #expect(try radius("'inset': 50") == 10_000)
        #expect(try radius("'radius': 200") == 19_000)
        #expect(try radius("'radius': 200, 'inset': 0") == 20_000)
        #expect(try radius("'priority': 1") == nil)
        let beyond = problem { _ = try radius("'inset': 150") }
        #expect(beyond.field == "properties.inset")
        #expect(beyond.hint?.isEmpty == false)
    }

    @Test func `a LineString with a half-width is a corridor and is read back unchanged`() throws {
        let body = try json(
            """
            {'type': 'Feature', 'properties': {'name': 'Way', 'halfWidth': 25.5, 'inset': -10},
             'geometry': {'type': 'LineString', 'coordinates': [[101.7, 3.1], [101.71, 3.1]]}}
            """)
        let zone = try zone(ZoneBody.read(body, isNew: true, clocks: clocks))
        guard case .corridor(let line, 2550) = zone.shape else {
            Issue.record("no corridor: \(zone.shape)")
            return
        }
        #expect(line.count == 2)
        #expect(!zone.prepared.polygons.isEmpty)
        let view = try JSON.parse(View.zone(zone).serialized())
        var again = zone
        try ZoneBody.read(view, isNew: false, before: zone, clocks: clocks).change(&again)
        #expect(again == zone)
        let wider = try json("{'type': 'Feature', 'properties': {'halfWidth': 40}}")
        let patch = try ZoneBody.read(wider, isNew: false, before: zone, clocks: clocks)
        #expect(patch.drawing?.shape == .corridor(line: line, halfWidthCentimetres: 4000))
        let round = try json("{'type': 'Feature', 'properties': {'radius': 40}}")
        let fault = problem {
            _ = try ZoneBody.read(round, isNew: false, before: zone, clocks: clocks)
        }
        #expect(fault.field == "properties.radius")
    }

    /// Properties, field, and a word of detail or hint.
    static let faults: [(String, String, String)] = [
        ("'alertDistance': -1", "properties.alertDistance", "integer"),
        ("'dwell': 1.5", "properties.dwell", "integer"),
        ("'inset': 'ten'", "properties.inset", "number"),
        ("'inset': 200000", "properties.inset", "100000 m"),
        ("'absentBy': '8:00'", "properties.absentBy", "08:00"),
        ("'absentBy': '24:00'", "properties.absentBy", "08:00"),
        ("'absentBy': '08:60'", "properties.absentBy", "08:00"),
        ("'timeZone': 'Asia/Kuala Lumpur'", "properties.timeZone", "Asia/Kuala_Lumpur?"),
        ("'timeZone': 'Mars'", "properties.timeZone", "IANA"),
        ("'transitions': ['enter', 'leave']", "properties.transitions[1]", "approach"),
        ("'schedule': []", "properties.schedule", "object"),
        ("'schedule': {}", "properties.schedule.windows", "never active"),
        ("'schedule': {'windows': []}", "properties.schedule.windows", "never active"),
        ("'alarm': {'cycle': 9}", "properties.alarm.cycle", "from 10"),
        ("'alarm': {'volume': 9}", "properties.alarm.volume", "vibrate"),
        ("'alarm': true", "properties.alarm", "object"),
        ("'audience': {'roles': ['boss']}", "properties.audience.roles[0]", "guardian"),
        ("'audience': {'people': ['per_1']}", "properties.audience.people[0]", "per_"),
        ("'messages': ['zon_1']", "properties.messages[0]", "msg_"),
        ("'extra': ['ok', 5]", "properties.extra[1]", "line"),
        ("'extra': ['a\\nb']", "properties.extra[0]", "line"),
        (
            "'timeZone': 'Asia/Tokyo', 'schedule': {'timeZone': 'UTC', 'windows': [{'days': "
                + "['mon'], 'from': '08:00', 'to': '09:00'}]}", "properties.schedule.timeZone",
            "different time zones"
        ),
    ]

    @Test(arguments: faults.indices)
    func `each fault names its field and what is allowed`(index: Int) throws {
        let (properties, field, word) = ZoneFieldBodyTests.faults[index]
        let body = try feature(properties)
        let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
        #expect(problem.field == field)
        #expect("\(problem.detail) \(problem.hint ?? "")".contains(word), "\(problem)")
    }

    /// Windows, field below `windows`, a word.
    static let windowFaults: [(String, String, String)] = [
        ("{'from': '08:00', 'to': '09:00'}", "[0].days", "required"),
        ("{'days': [], 'from': '08:00', 'to': '09:00'}", "[0].days", "required"),
        ("{'days': ['mon', 'Tue'], 'from': '08:00', 'to': '09:00'}", "[0].days[1]", "tue"),
        ("{'days': ['mon'], 'to': '09:00'}", "[0].from", "required"),
        ("{'days': ['mon'], 'from': '08:00'}", "[0].to", "required"),
        ("{'days': ['mon'], 'from': '24:00', 'to': '09:00'}", "[0].from", "HH:MM"),
        ("{'days': ['mon'], 'from': '08:00', 'to': '24:01'}", "[0].to", "HH:MM"),
        ("{'days': ['mon'], 'from': '08:00', 'to': '08:00'}", "[0].to", "24:00"),
        ("{'days': ['mon'], 'from': '08:00', 'till': '09:00'}", "[0].till", "from, to"),
        (
            "{'days': ['mon'], 'from': '08:00', 'to': '12:00'}, "
                + "{'days': ['sun', 'mon'], 'from': '11:00', 'to': '13:00'}", "[1]",
            "overlap on mon"
        ),
        (
            "{'days': ['mon'], 'from': '05:00', 'to': '12:00'}, "
                + "{'days': ['sun'], 'from': '22:00', 'to': '06:00'}", "[1]", "overlap on mon"
        ),
    ]

    @Test(arguments: windowFaults.indices)
    func `a window that cannot be names its place`(index: Int) throws {
        let (windows, field, word) = ZoneFieldBodyTests.windowFaults[index]
        let body = try feature("'schedule': {'timeZone': 'UTC', 'windows': [\(windows)]}")
        let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
        #expect(problem.field == "properties.schedule.windows" + field)
        #expect("\(problem.detail) \(problem.hint ?? "")".contains(word), "\(problem)")
    }

    @Test func `windows may touch, and an exception is a day`() throws {
        let meeting = try feature(
            """
            'schedule': {'timeZone': 'UTC', 'except': ['2026-02-28', '2026-02-28'], 'windows': [
             {'days': ['sun'], 'from': '22:00', 'to': '06:00'},
             {'days': ['mon'], 'from': '06:00', 'to': '07:00'}]}
            """)
        let patch = try ZoneBody.read(meeting, isNew: true, clocks: clocks)
        #expect(patch.schedule??.windows.count == 2)
        #expect(patch.schedule??.exceptions.count == 1)
        for (index, date) in ["2026-02-29", "2026-2-8", "Christmas"].enumerated() {
            let body = try feature(
                """
                'schedule': {'timeZone': 'UTC', 'windows': [
                 {'days': ['sun'], 'from': '22:00', 'to': '06:00'}], 'except': ['\(date)']}
                """)
            let problem = problem { _ = try ZoneBody.read(body, isNew: true, clocks: clocks) }
            #expect(problem.field == "properties.schedule.except[0]", "\(index)")
        }
    }

    @Test func `a clock covers the years from the previous one on`() throws {
        let berlin = try #require(clocks.clock(of: "Europe/Berlin"))
        #expect(berlin.offsets.count == 28)
        #expect(berlin.firstOffset == 3600)
    }
}
