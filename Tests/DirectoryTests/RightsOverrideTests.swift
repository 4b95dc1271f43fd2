import Foundation
import Model
import Testing

@testable import Directory

@Suite struct RightsOverrideTests {
    @Test func `a file changes grants, conditions, lapsed plans and limits`() throws {
        let table = try RightsOverrides.apply(
            """
            # an association

            invite.guardian = yes   # they know the families
            create-circle.anyone = subscriber, paid-plan
            read-history.lapsed = yes
            read-position.member = no
            members-per-circle.none = 10
            sms.none = yes
            regions.ios = 12
            """)
        #expect(
            Rights.decide(RightsQuery(role: .guardian, action: .invite), by: table).isAllowed)
        let create = RightsQuery(plan: .paid, affiliation: .none, action: .createCircle)
        #expect(Rights.decide(create, by: table) == .denied(.subscribersOnly))
        let trial = RightsQuery(affiliation: .subscriber, action: .createCircle)
        #expect(Rights.decide(trial, by: table) == .denied(.paidOnly))
        let shared = Resource(isSharing: true, membersSeePositions: true)
        #expect(
            Rights.decide(
                RightsQuery(role: .guardian, plan: .lapsed, action: .readHistory, resource: shared),
                by: table
            ).isAllowed)
        #expect(
            Rights.decide(
                RightsQuery(role: .member, action: .readPosition, resource: shared), by: table)
                == .denied(.switchedOff))
        #expect(table.membersPerCircleMax(.none) == 10)
        #expect(table.allowsSMS(.none))
        #expect(table.regionsMax(.ios) == 12)
        #expect(table.trial == .seconds(30 * 86_400))
        #expect(try RightsOverrides.apply("") == .standard)
    }

    @Test(arguments: [
        ("invite.guardians = yes", "admin, guardian, member, lapsed"),
        ("invited.guardian = yes", "accept-invitation"),
        ("\ninvite.guardian = perhaps", "guardians-edit-zones"),
        ("invite.guardian", "ROW = VALUE"),
        ("invite.guardian = yes\ninvite.guardian = no", "Remove one"),
        ("panic.own = no", "Remove the line"),
        ("read-person.member = yes", "Remove the line"),
        ("acknowledge.member = yes", "Remove the line"),
        ("read-position.member = sharing", "members-see-positions, sharing"),
        ("read-position.member = yes", "members-see-positions, sharing"),
        ("read-position.officer = sharing", "in-emergency, sharing"),
        ("locate.lapsed = no", "Remove the line"),
        ("invite.lapsed = maybe", "yes or no"),
        ("regions.ios = 21", "from 0 to 20"),
        ("members-per-circle.none = many", "from 1 to 500"),
        ("sms.none = 1", "yes or no"),
        ("invite.operator = no", "admin, guardian, member, lapsed"),
    ])
    func `an error names the row and the fix`(text: String, fix: String) throws {
        let error = #expect(throws: RightsOverrideError.self) { try RightsOverrides.apply(text) }
        #expect(error?.fix.contains(fix) == true, "\(String(describing: error))")
        #expect(error.map { text.contains($0.row) && !$0.row.isEmpty } == true)
        #expect(error?.line == (text.contains("\n") ? 2 : 1))
    }
}

@Suite struct `deploy/rights/example.conf` {
    @Test func `is valid when its rows are switched on`() throws {
        let path = #filePath.replacing("Tests/DirectoryTests/RightsOverrideTests.swift", with: "")
        let text = try String(
            contentsOfFile: path + "deploy/rights/example.conf", encoding: .utf8)
        #expect(try RightsOverrides.apply(text) == .standard)
        let rows = text.split(separator: "\n").filter { $0.contains(#/^#[a-z-]+\.[a-z]+ = /#) }
        #expect(rows.count == 6)
        let table = try RightsOverrides.apply(
            rows.map { $0.dropFirst() }.joined(separator: "\n"))
        #expect(table != .standard)
    }
}

@Suite struct `docs/rights.md` {
    @Test func `is what the table says`() throws {
        let path = #filePath.replacing("Tests/DirectoryTests/RightsOverrideTests.swift", with: "")
        let written = try String(contentsOfFile: path + "docs/rights.md", encoding: .utf8)
        #expect(
            written == RightsTable.standard.document,
            "write it again: .build/debug/jaga rights table >docs/rights.md")
    }
}
