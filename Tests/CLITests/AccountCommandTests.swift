import Parsing
import TestSupport
import Testing

@testable import JagaCLI

@Suite struct `What a person does by command` {
    private let anna = "per_00000000000000000000000001"
    private let ben = "per_00000000000000000000000002"
    private let family = "cir_00000000000000000000000001"

    private func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

    private var list: NeverNotifyEdit {
        get throws {
            NeverNotifyEdit(
                try json(
                    """
                    {"people": ["\(anna)"], "circles": [], "silentCircles": ["\(family)"],
                        "reachesNobody": true}
                    """))
        }
    }

    @Test func `a never-notify list gets a name once and loses it`() throws {
        let list = try list
        #expect(list.adding(person: anna).people == [anna])
        #expect(list.adding(person: ben).people == [anna, ben])
        let changed = list.adding(circle: family).body
        #expect(changed["people"]?[0]?.string == anna)
        #expect(changed["circles"]?[0]?.string == family)
        #expect(try list.removing(person: anna, "Anna").people.isEmpty)
        let error = #expect(throws: CommandError.self) {
            try list.removing(person: ben, "Ben")
        }
        #expect(error?.message == "Ben is not on the list")
        #expect(throws: CommandError.self) { try list.removing(circle: family) }
    }

    @Test func `a never-notify list is shown by name, with what it silences`() throws {
        let circle = try json(
            """
            {"id": "\(family)", "name": "Family",
             "members": [{"person": "\(anna)", "name": "Anna"}]}
            """)
        let shown = [
            "never notified Anna  \(anna)", "warning: nobody in Family is notified",
            "warning: an emergency of yours reaches nobody",
        ]
        #expect(try list.lines(circles: [circle]) == shown)
        #expect(try list.lines(circles: []).first == "never notified \(anna)")
        #expect(NeverNotifyEdit(.null).lines(circles: [circle]) == ["The list is empty."])
    }

    @Test func `a request is a sentence`() throws {
        func question(_ kind: String, _ more: String = "") throws -> String {
            let text = #"{"question": "\#(kind)", "circle": {"name": "Family"}"#
            return ConsentCommand.question(
                in: try json(text + more + #", "person": {"name": "Ben"}}"#))
        }
        #expect(try question("members-see-position") == "all members of Family see your position")
        #expect(
            try question("history-days", #", "historyDays": 30, "historyDaysBefore": 1"#)
                == "Family sees 30 days of your history instead of 1 day")
        #expect(
            try question("history-days", #", "historyDays": 0, "historyDaysBefore": 7"#)
                == "Family sees as many days as your plan keeps of your history instead of 7 days")
        #expect(try question("role", #", "role": "guardian""#) == "Ben becomes guardian of Family")
        #expect(try question("guardian") == "Ben becomes another guardian")
    }

    @Test func `an invitation's token is the fragment of its link`() {
        let token = "abc-DEF_1"
        #expect(
            InvitationAnswer.token(in: " https://jaga.example/app/#invitation=\(token)\n") == token)
        #expect(InvitationAnswer.token(in: token) == token)
        #expect(InvitationAnswer.token(in: "https://x/#invitation=") == "")
    }

    @Test func `an invitation tells who will see what`() throws {
        let preview = try json(
            #"""
            {"circle": "Family", "inviter": "Ben\u001b[2J\nx", "role": "member",
                "expires": "2026-12-01T00:00:00.000Z", "watchers": [
                    {"role": "guardian", "people": 2, "seesPosition": true, "historyDays": 7},
                    {"role": "member", "people": 3, "seesPosition": false, "historyDays": 0}]}
            """#)
        let lines = InvitationAnswer.lines(of: preview)
        #expect(lines.first?.hasSuffix("invites you to Family as member.") == true)
        #expect(lines.allSatisfy { !$0.contains("\n") })
        let seen = [
            "2 × guardian: sees your position, 7 days of it",
            "3 × member: sees no position of yours",
        ]
        #expect(Array(lines.suffix(2)) == seen)
    }

    @Test func `a ward is declared until a day`() throws {
        func call(_ words: String...) throws -> Call {
            try Call(["add", "Fitri"] + words, of: WardCommand.syntax, environment: [:])
        }
        let body = try WardCommand.declaration(
            of: "Fitri", call("--until", "2036-06-01", "--mail", "f@example.org"))
        #expect(body["wardUntil"] == "2036-06-01T00:00:00.000Z")
        #expect(body["contacts"]?[0]?["channel"] == "email")
        #expect(body["timeZone"] == nil)
        #expect(throws: CommandError.self) { try WardCommand.declaration(of: "F", call()) }
        #expect(throws: CommandError.self) {
            try WardCommand.declaration(of: "F", call("--until", "2036-13-01"))
        }
    }
}
