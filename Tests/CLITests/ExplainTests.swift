import Model
import Parsing
import Testing

@testable import JagaCLI

/// Why zones decided as they did, in words.
@Suite struct ExplainTests {
    private static let head =
        #""at":"2026-11-20T10:20:00.000Z","fix":{"#
        + #""time":"2026-11-20T10:19:30.000Z","lat":3.1,"lon":101.6,"accuracy":30},"#
        + #""zone":{"id":"zon_1","name":"School"},"distance":12,"margin":60"#

    private func words(_ members: String, _ head: String = Self.head) throws -> String {
        try #require(DecisionWords(try JSON.parse("{\(head),\(members)}"))).line
    }

    @Test(arguments: [
        (
            "withheld inside inside within-margin",
            "held back at School (stays inside): 12 m outside, but with an accuracy of 30 m only "
                + "more than 60 m would count"
        ),
        (
            "withheld near near within-margin",
            "held back at School (stays near): 12 m outside and beyond the alert distance, but "
                + "with an accuracy of 30 m only more than 60 m beyond it would count"
        ),
        (
            "withheld outside outside suspect",
            "held back at School (stays outside): 12 m outside (± 30 m) by a fix too far from the "
                + "one before it; the next decides"
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
            "withheld inside inside unconfirmed",
            "held back at School (stays inside): 12 m outside, but with an accuracy of 30 m one "
                + "fix is enough only beyond 60 m, and of somebody who moves and can have come so "
                + "far; the next decides, or that none comes"
        ),
        (
            "exited inside outside uncontradicted",
            "left School (inside → outside): 12 m outside (± 30 m)"
                + " by one fix, believed as no other came"
        ),
        (
            "receded near outside beyond-alert-distance",
            "went away from School (near → outside): 12 m outside; with an accuracy of 30 m more "
                + "than 60 m beyond the alert distance counts"
        ),
        (
            "forgotten inside unknown schedule-closed",
            "no longer judged by School (inside → unknown): 12 m outside (± 30 m)"
                + " when the zone's hours "
                + "ended"
        ),
        (
            "initial unknown near initial",
            "found near School (unknown → near): 12 m outside (± 30 m)"
                + ", the first decision about this zone"
        ),
        (
            "initial inside near initial",
            "found near School (inside → near): 12 m outside (± 30 m)"
                + " by the first fix of another phone "
                + "that leads now"
        ),
        (
            "entered outside inside of-tomorrow",
            "entered School (outside → inside): for a reason that this version does not know"
        ),
    ])
    func `a decision is a sentence with its numbers`(decision: String, line: String) throws {
        let parts = zip(["kind", "before", "after", "reason"], decision.split(separator: " "))
        let members = parts.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        #expect(try words(members) == line)
    }

    @Test func `whoever may not see places reads no numbers, and no name of a small zone`() throws {
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

    @Test func `a fix that tells no accuracy, or is old, is said to`() throws {
        let head =
            #""at":"2026-11-20T10:20:00.000Z","zone":{"name":"School"},"distance":-51.26,"#
            + #""margin":50,"fix":{"time":"2026-11-20T10:05:00.000Z"}"#
        let members =
            #""kind":"entered","before":"outside","after":"inside","#
            + #""reason":"inside-beyond-margin""#
        #expect(
            try words(members, head)
                == "entered School (outside → inside): 51.3 m inside; in a zone so small more than "
                + "50 m counts; by a fix 15 min old")
    }

    @Test func `absence without contact does not claim that somebody is away`() throws {
        let head =
            #""kind":"absent","at":"2026-11-20T08:00:00.000Z","zone":{"name":"School"},"#
            + #""by":"2026-11-20T08:00:00.000Z""#
        #expect(
            try words(#""contact":true,"fix":{"time":"2026-11-20T07:59:00.000Z"}"#, head)
                == "not in School at 2026-11-20T08:00:00.000Z")
        #expect(
            try words(#""contact":false,"fix":{"time":"2026-11-20T07:40:00.000Z"}"#, head)
                == "no contact since 2026-11-20T07:40:00.000Z: whether in School at "
                + "2026-11-20T08:00:00.000Z is not known")
        #expect(try words(#""contact":false,"fix":null"#, head).hasPrefix("there never was a fix"))
    }

    @Test func `what this version does not know is shown as it came`() throws {
        let item = try JSON.parse(#"{"at":"2026-11-20T10:20:00.000Z","kind":"teleported"}"#)
        #expect(Explain.line(of: item) == "2026-11-20T10:20:00.000Z  \(item.text)")
    }

    @Test func `zones are asked for by id, or picked by name`() throws {
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

    @Test func `a person is named by a name that only one has`() throws {
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
