import Parsing
import Testing

@testable import JagaCLI

@Suite struct ZoneCommandTests {
    private func call(_ words: String...) throws -> Call {
        try Call(words, of: ZoneCommand.syntax, environment: [:])
    }

    @Test func `an owner is a circle, a person or a set`() throws {
        let kinds = ["circles", "people", "sets"]
        #expect(try ZoneOwnerPath(call("--circle", "cir_1"), of: kinds).path == "/v1/circles/cir_1")
        #expect(try ZoneOwnerPath(call("--set", "a/b"), of: kinds).path == "/v1/sets/a%2Fb")
        #expect(
            try ZoneOwnerPath(call("--person", "per_1"), of: kinds).person == "/v1/people/per_1")
        #expect(throws: CommandError.self) { try ZoneOwnerPath(call(), of: kinds) }
        #expect(throws: CommandError.self) {
            try ZoneOwnerPath(call("--circle", "a", "--set", "b"), of: kinds)
        }
        #expect(throws: CommandError.self) {
            try ZoneOwnerPath(call("--set", "b"), of: ["circles"])
        }
        #expect(throws: CommandError.self) {
            try ZoneOwnerPath(call("--circle", "cir_1"), of: kinds).person
        }
    }

    @Test func `a field value is JSON if valid, else a string`() throws {
        let fields = try FieldOptions.read(
            call(
                "--field", "dwell=900", "--field", "name=Old School", "--field", "absentBy=null",
                "--field", "transitions=[\"enter\"]", "--field", "number=+6012", "--field",
                "line=5=5"),
            of: ZoneCommand.syntax, texts: ["line"])
        let body = JSON.object(fields)
        #expect(body["dwell"] == 900)
        #expect(body["name"] == "Old School")
        #expect(body["absentBy"] == .null)
        #expect(body["transitions"]?[0] == "enter")
        #expect(body["line"] == "5=5")
        #expect(body["number"] == "+6012")
        for wrong in [["--field", "dwell"], ["--field", "=5"], []] {
            #expect(throws: CommandError.self) {
                let call = try Call(wrong, of: ZoneCommand.syntax, environment: [:])
                return try FieldOptions.read(call, of: ZoneCommand.syntax)
            }
        }
        #expect(throws: CommandError.self) {
            try FieldOptions.read(
                call("--field", "a=1", "--field", "a=2"), of: ZoneCommand.syntax)
        }
    }

    @Test func `suggested zones are shown as a table`() throws {
        let suggestion = try JSON.parse(
            #"{"id":"sug_1","suggested":"2026-11-20T10:20:00.000Z","zone":{"type":"Feature","#
                + #""properties":{"name":"Home","radius":80}}}"#)
        let lines = SuggestedZones.table(of: [suggestion]).lines
        #expect(lines.count == 2)
        #expect(
            lines[1].split(separator: " ")
                == ["2026-11-20T10:20:00.000Z", "80", "Home", "sug_1"])
        #expect(throws: CommandError.self) {
            try SuggestedZones.run("accept-suggestion", nil, call("--person", "per_1"))
        }
        #expect(throws: CommandError.self) {
            try SuggestedZones.run("suggested", nil, call("--circle", "cir_1"))
        }
    }

    @Test func `zones are shown as a table`() throws {
        let zone = try JSON.parse(
            #"{"id":"zon_1","geometry":{"type":"Point"},"properties":{"name":"Home","#
                + #""active":true,"category":"","priority":5,"kind":"safe","#
                + #""transitions":["enter","dwell"]}}"#)
        let lines = ZoneCommand.table(of: [zone]).lines
        #expect(lines.count == 2)
        let cells = lines[1].split(separator: " ")
        #expect(cells == ["yes", "5", "safe", "Point", "enter,dwell", "Home", "zon_1"])
    }

    @Test func `each command has help`() {
        for syntax in [ZoneCommand.syntax, SetCommand.syntax, MessageCommand.syntax] {
            let help = Help.text(of: syntax)
            for verb in ["list", "remove"] { #expect(help.contains(verb)) }
            #expect(Help.overview(of: Main.commands).contains("  \(syntax.name) "))
        }
    }
}
