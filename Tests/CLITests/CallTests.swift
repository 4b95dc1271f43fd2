import Testing

@testable import JagaCLI

@Suite struct `A call` {
    private let syntax = Syntax(
        name: "play", parameters: ["FILE", "[MORE]"], summary: "play a file",
        options: [
            .init(name: "--speed", value: "N", help: "how fast"),
            .init(name: "--loud", value: nil, help: "print more"),
            .init(name: "--without", value: "X", help: "leave out", repeats: true),
        ])

    private func call(_ words: String..., environment: [String: String] = [:]) throws -> Call {
        try Call(words, of: syntax, environment: environment)
    }

    @Test func `finds parameters and options in any order`() throws {
        let call = try call(
            "--speed", "60", "a.gpx", "--loud", "--without=x", "b", "--without", "y")
        #expect(call.parameters == ["a.gpx", "b"])
        #expect(call.value("--speed") == "60")
        #expect(call.has("--loud"))
        #expect(call.all("--without") == ["x", "y"])
        #expect(try call.number("--speed", default: 1, in: 1...100) == 60)
        #expect(try self.call("a").number("--speed", default: 1, in: 1...100) == 1)
    }

    @Test func `treats everything after two dashes as a parameter`() throws {
        #expect(try call("--", "--loud").parameters == ["--loud"])
    }

    @Test(arguments: [
        (["--quick", "a"], "--quick is not an option"), (["a", "--speed"], "--speed N"),
        (["a", "--loud=1"], "takes no value"), ([], "FILE is required"),
        (["a", "b", "c"], "unexpected argument c"),
        (["a", "--speed", "1", "--speed", "2"], "twice"),
    ])
    func `is refused with what is wrong and where help is`(words: [String], part: String) {
        do throws(CommandError) {
            _ = try Call(words, of: syntax, environment: [:])
            Issue.record("\(words) must be refused")
        } catch {
            #expect(error.message.contains(part))
            #expect(error.hint == "see: jaga play --help")
            #expect(error.status == 2)
        }
    }

    @Test(arguments: ["0", "101", "abc", "1.5"])
    func `refuses a number that is not allowed`(text: String) throws {
        let call = try call("a", "--speed", text)
        #expect(throws: CommandError.self) {
            try call.number("--speed", default: 1, in: 1...100)
        }
    }

    @Test func `has complete help`() {
        let help = Help.text(of: syntax)
        #expect(help.hasPrefix("usage: jaga play FILE [MORE] [options]\n\nPlay a file.\n"))
        for option in syntax.options { #expect(help.contains("  \(option.name)")) }
        let overview = Help.overview(of: Main.commands)
        for command in Main.commands { #expect(overview.contains("  \(command.syntax.name) ")) }
    }

    @Test func `of every command has help lines that fit`() {
        for command in Main.commands {
            let lines = Help.text(of: command.syntax).split(separator: "\n")
            for line in lines { #expect(line.count <= 100, "\(command.syntax.name): \(line)") }
            let names = command.syntax.options.map(\.name)
            #expect(Set(names).count == names.count)
        }
    }
}
