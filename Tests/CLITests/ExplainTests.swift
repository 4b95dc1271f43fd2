import Model
import Parsing
import Testing

@testable import JagaCLI

/// Explanations of zone decisions.
@Suite struct ExplainTests {
    private static let head =
        #""at":"2026-11-20T10:20:00.000Z","fix":{"#
        + #""time":"2026-11-20T10:19:30.000Z","lat":3.1,"lon":101.6,"accuracy":30},"#
        + #""zone":{"id":"zon_1","name":"School"},"distance":12,"margin":60"#

    private func words(_ members: String, _ head: String = Self.head) throws -> String {
        try #require(DecisionText(try JSON.parse("{\(head),\(members)}"))).line
    }

    @Test(arguments: [
        (
            "suppressed inside inside within-margin",
            "suppressed at School (stays inside): 12 m outside, but with an accuracy of 30 m only "
                + "more than 60 m would count"
        ),
        (
            "suppressed near near within-margin",
            "suppressed at School (stays near): 12 m outside and beyond the alert distance, but "
                + "with an accuracy of 30 m only more than 60 m beyond it would count"
        ),
        (
            "suppressed outside outside suspect",
            "suppressed at School (stays outside): 12 m outside (± 30 m) by a fix too far from the "
                + "previous one; the next fix decides"
        ),
        (
            "exited inside outside outside-beyond-margin",
            "left School (inside → outside): 12 m outside; with an accuracy of 30 m more than 60 m "
                + "counts"
        ),
        (
            "approached outside near within-alert-distance",
            "came near School (outside → near): 12 m outside (± 30 m), within the alert distance"
        ),
        (
            "suppressed inside inside unconfirmed",
            "suppressed at School (stays inside): 12 m outside, but with an accuracy of 30 m one "
                + "fix is enough only beyond 60 m, if the person moves and could have come so "
                + "far; the next fix decides, or none comes"
        ),
        (
            "exited inside outside uncontradicted",
            "left School (inside → outside): 12 m outside (± 30 m)"
                + " by one fix, accepted because no other came"
        ),
        (
            "left-vicinity near outside beyond-alert-distance",
            "left the vicinity of School (near → outside): 12 m outside; with an accuracy of 30 m "
                + "more than 60 m beyond the alert distance counts"
        ),
        (
            "presence-cleared inside unknown schedule-closed",
            "presence cleared in School (inside → unknown): 12 m outside (± 30 m)"
                + " when the zone's schedule "
                + "closed"
        ),
        (
            "presence-established unknown near initial",
            "found near School (unknown → near): 12 m outside (± 30 m)"
                + ", the first decision about this zone"
        ),
        (
            "presence-established inside near initial",
            "found near School (inside → near): 12 m outside (± 30 m)"
                + " by the first fix of a new primary "
                + "phone"
        ),
        (
            "entered outside inside of-tomorrow",
            "entered School (outside → inside): unknown reason"
        ),
    ])
    func `a decision is a sentence with its numbers`(decision: String, line: String) throws {
        let parts = zip(["kind", "before", "after", "reason"], decision.split(separator: " "))
        let members = parts.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        #expect(try words(members) == line)
    }

    @Test func `readers without access to positions see no distances and no names of small zones`()
        throws
    {
        let head =
            #""at":"2026-11-20T10:20:00.000Z","zone":null,"#
            + #""fix":{"time":"2026-11-20T10:20:00.000Z"}"#
        for reason in CrossingReason.allCases {
            let members =
                #""kind":"entered","before":"outside","after":"inside","#
                + "\"reason\":\"\(reason.rawValue)\""
            let line = try words(members, head)
            #expect(line.hasPrefix("entered a small zone (outside → inside): "))
            #expect(!line.contains(/[0-9]/), "\(line)")
        }
    }

    @Test func `unknown accuracy and old fixes are mentioned`() throws {
        let head =
            #""at":"2026-11-20T10:20:00.000Z","zone":{"name":"School"},"distance":-51.26,"#
            + #""margin":50,"fix":{"time":"2026-11-20T10:05:00.000Z"}"#
        let members =
            #""kind":"entered","before":"outside","after":"inside","#
            + #""reason":"inside-beyond-margin""#
        #expect(
            try words(members, head)
                == "entered School (outside → inside): 51.3 m inside; in a zone so small more than "
                + "50 m counts; fix was 15 min old")
    }

    @Test func `absence without contact does not claim that the person is away`() throws {
        let head =
            #""kind":"absent","at":"2026-11-20T08:00:00.000Z","zone":{"name":"School"},"#
            + #""by":"2026-11-20T08:00:00.000Z""#
        #expect(
            try words(#""contact":true,"fix":{"time":"2026-11-20T07:59:00.000Z"}"#, head)
                == "not in School at 2026-11-20T08:00:00.000Z")
        #expect(
            try words(#""contact":false,"fix":{"time":"2026-11-20T07:40:00.000Z"}"#, head)
                == "no contact since 2026-11-20T07:40:00.000Z: presence in School at "
                + "2026-11-20T08:00:00.000Z is unknown")
        #expect(try words(#""contact":false,"fix":null"#, head).hasPrefix("no fix yet"))
    }

    @Test func `unknown decisions are shown as JSON`() throws {
        let item = try JSON.parse(#"{"at":"2026-11-20T10:20:00.000Z","kind":"teleported"}"#)
        #expect(Explain.line(of: item) == "2026-11-20T10:20:00.000Z  \(item.text)")
    }

    @Test func `zones are filtered by id in the request, and by name in the response`() throws {
        let person = PersonID(ID128(high: 1, low: 1))
        let now = try #require(Timestamp("2026-11-20T10:20:00.000Z"))
        func question(_ words: String...) throws -> DecisionQuestion {
            try DecisionQuestion(
                Call(["Anna"] + words, of: Explain.syntax, environment: [:]), now: now)
        }
        let zone = ZoneID(ID128(high: 5, low: 1))
        let byID = try question("--zone", "\(zone)", "--since", "2h")
        #expect(
            byID.path(of: person, limit: 20)
                == "/v1/people/\(person)/decisions?limit=20&zone=\(zone)"
                + "&since=2026-11-20T08%3A20%3A00.000Z")
        let byName = try question("--zone", "school")
        #expect(byName.path(of: person, limit: 20).hasSuffix("/decisions?limit=1000"))
        let items: [JSON] = [
            ["zone": ["name": "School"]], ["zone": ["name": "Home"]], ["zone": .null],
        ]
        #expect(items.filter(byName.isAbout) == [items[0]])
        #expect(items.filter(byID.isAbout) == items)
        #expect(throws: CommandError.self) { try question("--since", "yesterday") }
    }

    @Test func `a person is found by a unique name`() throws {
        let people: [Names.Candidate] = [
            .init(id: "per_1", name: "Anna"), .init(id: "per_2", name: "Ben"),
            .init(id: "per_3", name: "Ben"),
        ]
        #expect(try Names.only("anna", among: people, "person") == "per_1")
        for (name, part) in [
            ("Ben", "per_2 (Ben), per_3 (Ben)"), ("Cara", "no person with the name or id Cara"),
        ] {
            do throws(CommandError) {
                _ = try Names.only(name, among: people, "person")
                Issue.record("\(name) must be refused")
            } catch {
                #expect("\(error)".contains(part))
            }
        }
    }
}
