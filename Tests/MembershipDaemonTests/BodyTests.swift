import MembershipCore
import Model
import Runtime
import Testing

@testable import MembershipDaemon

@Suite struct BodyTests {
    @Test func `all fields of a person are read`() throws {
        let body = try json(
            """
            {'name': ' Anna ', 'locale': 'ms', 'timeZone': 'Asia/Kuala_Lumpur', 'contacts': [
             {'channel': 'sms', 'address': '+60 12 345 6789'},
             {'channel': 'email', 'address': 'anna@example.org', 'rank': 7}]}
            """)
        let patch = try PersonBody.read(body, isNew: true, timeZones: TimeZoneFolder())
        #expect(patch.name == "Anna")
        #expect(patch.contacts?.map(\.address) == ["+60123456789", "anna@example.org"])
        #expect(patch.contacts?.map(\.rank) == [0, 7])
        #expect(patch.primaryDevice == nil)
    }

    /// Body and invalid field.
    static let faults: [(String, String?)] = [
        ("[]", nil),
        ("'Anna'", nil),
        ("{}", "name"),
        ("{'name': 5}", "name"),
        ("{'name': ' '}", "name"),
        ("{'name': 'A\\nB'}", "name"),
        ("{'name': '\(String(repeating: "a", count: 101))'}", "name"),
        ("{'name': 'A', 'nmae': 'B'}", "nmae"),
        ("{'name': 'A', 'name': 'B'}", "name"),
        ("{'name': 'A', 'locale': 'english'}", "locale"),
        ("{'name': 'A', 'timeZone': 'Mars'}", "timeZone"),
        ("{'name': 'A', 'plan': 'gold'}", "plan"),
        ("{'name': 'A', 'contacts': {}}", "contacts"),
        ("{'name': 'A', 'contacts': [1]}", "contacts[0]"),
        ("{'name': 'A', 'contacts': [{'address': 'a@b'}]}", "contacts[0].channel"),
        ("{'name': 'A', 'contacts': [{'channel': 'fax'}]}", "contacts[0].channel"),
        ("{'name': 'A', 'contacts': [{'channel': 'sms'}]}", "contacts[0].address"),
        (
            "{'name': 'A', 'contacts': [{'channel': 'email', 'address': 'a@b'}, "
                + "{'channel': 'sms', 'address': '0123'}]}", "contacts[1].address"
        ),
        (
            "{'name': 'A', 'contacts': [{'channel': 'sms', 'address': '+60123456789', "
                + "'rank': -1}]}", "contacts[0].rank"
        ),
        ("{'name': 'A', 'primaryDevice': 'dev_00000000000000000000000001'}", "primaryDevice"),
    ]

    @Test(arguments: faults.indices)
    func `each fault of a person names its field`(index: Int) throws {
        let (text, field) = BodyTests.faults[index]
        let body = try json(text)
        let problem = problem {
            _ = try PersonBody.read(body, isNew: true, timeZones: TimeZoneFolder())
        }
        #expect(problem.status == 400)
        #expect(problem.field == field)
        #expect(problem.hint != nil || problem.detail.count > 10)
    }

    @Test func `read-only fields are accepted, and null counts as missing`() throws {
        let body = try json(
            "{'id': 'per_x', 'version': 3, 'credentials': [], 'name': 'A', 'locale': null}")
        let patch = try PersonBody.read(body, isNew: false, timeZones: TimeZoneFolder())
        #expect(patch.name == "A")
        #expect(patch.locale == nil)
        let none = try PersonBody.read(
            try json("{'primaryDevice': null}"), isNew: false, timeZones: TimeZoneFolder())
        #expect(none.primaryDevice == .some(nil))
    }

    @Test func `a device's body is read`() throws {
        let patch = try DeviceBody.read(
            try json("{'name': 'Pixel', 'platform': 'android', 'client': 'owntracks'}"),
            isNew: true)
        #expect(patch.platform == .android)
        #expect(patch.client == "owntracks")
        let body = try json("{'name': 'P', 'platform': 'symbian'}")
        #expect(
            problem { _ = try DeviceBody.read(body, isNew: true) }.field
                == "platform")
    }

    @Test func `a circle's policy is read tier by tier`() throws {
        let id = PersonID(ID128(high: 0, low: 1))
        let patch = try CircleBody.read(
            try json(
                """
                {'name': 'F', 'escalation': [{'roles': ['guardian', 'guardian']},
                 {'people': ['\(id)'], 'channels': ['sms'], 'waitSeconds': 60}]}
                """), isNew: true)
        #expect(patch.escalation?[0].roles == [.guardian])
        #expect(patch.escalation?[0].waitSeconds == 120)
        #expect(patch.escalation?[1].people == [id])
        #expect(patch.escalation?[1].channels == [.sms])
        for (text, field) in [
            ("[{'roles': ['boss']}]", "escalation[0].roles[0]"),
            ("[{}, {'people': ['per_1']}]", "escalation[1].people[0]"),
            ("[{'roles': ['admin'], 'channels': []}]", "escalation[0].channels"),
            ("[{'roles': ['admin'], 'waitSeconds': 5}]", "escalation[0].waitSeconds"),
            ("[{'roles': 'admin'}]", "escalation[0].roles"),
        ] {
            let body = try json("{'name': 'F', 'escalation': \(text)}")
            #expect(
                problem { _ = try CircleBody.read(body, isNew: true) }.field
                    == field)
        }
    }

    @Test func `a membership has a sharing state`() throws {
        #expect(try MemberBody.read(try json("{'sharing': 'off'}")).sharing == .off)
        let pause = try MemberBody.read(
            try json("{'sharing': {'pausedUntil': '2026-11-20T18:00:00+08:00'}}"))
        #expect(
            pause.sharing == .pausedUntil(try #require(Timestamp("2026-11-20T10:00:00.000Z"))))
        for (text, field) in [
            ("{'sharing': 'maybe'}", "sharing"), ("{'sharing': {}}", "sharing.pausedUntil"),
            ("{'sharing': {'pausedUntil': 'later'}}", "sharing.pausedUntil"),
            ("{'role': 'boss'}", "role"), ("{'accepted': true}", "accepted"),
        ] {
            let body = try json(text)
            #expect(
                problem { _ = try MemberBody.read(body) }.field == field)
        }
        let nobody = try json("{'role': 'admin'}")
        #expect(
            problem { _ = try MemberBody.readNew(nobody) }.field == "person")
    }
}
