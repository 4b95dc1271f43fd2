import Glibc
import Model
import Runtime

/// `jaga`: the command-line tool for operators of a suite.
@main
struct Main {
    static let commands: [any Command.Type] = [
        Up.self, Demo.self, Init.self, Status.self, Streams.self, Tail.self, Live.self, Trace.self,
        OutboxCommand.self,
        Replay.self, Evaluate.self, Explain.self, ZoneCommand.self, SetCommand.self,
        MessageCommand.self, JourneyCommand.self, DeviceCommand.self, PersonCommand.self,
        CredentialCommand.self, SessionCommand.self, PasskeyCommand.self, ProviderCommand.self,
        PINCommand.self, ContactCommand.self, InvitationCommand.self, ConsentCommand.self,
        WardCommand.self, NeverNotifyCommand.self, LinkCommand.self, AccessCommand.self,
        WatchCommand.self, CheckInCommand.self, TimerCommand.self,
        Quarantine.self, EmergencyCommand.self, DrillCommand.self, CircleCommand.self,
        Gateway.self, Admin.self, Keys.self, NginxRules.self, BackupCommand.self,
        RestoreCommand.self, HeldCommand.self, RightsCommand.self, StaffCommand.self,
    ]

    static func main() {
        // Files that a command writes for its user keep the user's umask.
        let mask = umask(0o077)
        PrivateProcess.begin()
        umask(mask)
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs a subcommand, and prints errors to standard error.
    ///
    /// - Returns: 0 = success, 1 = failure, 2 = wrong usage
    static func run(_ words: [String]) -> Int32 {
        StandardDescriptors.openMissing()
        guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
            return help(words.dropFirst().first)
        }
        if name == "--version" {
            Console.print("jaga \(Version.text)")
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            Console.printError("jaga: unknown command \(name); 'jaga --help' lists all commands")
            return 2
        }
        if words.contains("--help") || words.contains("-h") { return help(name) }
        do {
            let call = try Call(Array(words.dropFirst()), of: command.syntax)
            return try command.run(try Names.resolved(call))
        } catch let error as CommandError {
            Console.printError("jaga \(name): \(error)")
            return error.status
        } catch let error as any ExplainedError {
            let hint = error.hint.isEmpty ? "" : "\n\(error.hint)"
            Console.printError("jaga \(name): \(error.operation): \(error.message)\(hint)")
            return 1
        } catch {
            Console.printError("jaga \(name): \(error)")
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
