import Glibc
import Model
import Runtime

/// `jaga`: the door to a suite for the people who run it.
@main
struct Main {
    static let commands: [any Command.Type] = [
        Up.self, Demo.self, Init.self, Status.self, Streams.self, Tail.self, Trace.self,
        OutboxCommand.self,
        Replay.self, Evaluate.self, Explain.self, ZoneCommand.self, SetCommand.self,
        MessageCommand.self, JourneyCommand.self, DeviceCommand.self, PersonCommand.self,
        Quarantine.self, EmergencyCommand.self, CircleCommand.self,
        Gateway.self, Admin.self, Keys.self, NginxRules.self, BackupCommand.self,
        RestoreCommand.self, ReleaseCommand.self,
    ]

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs a subcommand; whatever goes wrong is told on standard error.
    ///
    /// - Returns: 0 for success, 1 for failure, 2 for a wrong call
    static func run(_ words: [String]) -> Int32 {
        StandardDescriptors.fill()
        guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
            return help(words.dropFirst().first)
        }
        if name == "--version" {
            Console.say("jaga \(Version.text)")
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            Console.complain("jaga: there is no command \(name); 'jaga --help' lists them")
            return 2
        }
        if words.contains("--help") || words.contains("-h") { return help(name) }
        do {
            let call = try Call(Array(words.dropFirst()), of: command.syntax)
            return try command.run(try Names.resolved(call))
        } catch let error as CommandError {
            Console.complain("jaga \(name): \(error)")
            return error.status
        } catch let error as any ExplainedError {
            let hint = error.hint.isEmpty ? "" : "\n\(error.hint)"
            Console.complain("jaga \(name): \(error.operation): \(error.message)\(hint)")
            return 1
        } catch {
            Console.complain("jaga \(name): \(error)")
            return 1
        }
    }

    private static func help(_ name: String?) -> Int32 {
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            Console.write(Help.overview(of: commands))
            return 0
        }
        Console.write(Help.text(of: command.syntax))
        return 0
    }
}
