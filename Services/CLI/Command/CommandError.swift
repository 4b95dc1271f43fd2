/// An error of a command, shown to its user with a hint.
struct CommandError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    var message: String
    /// What the user can do; empty if nothing.
    var hint: String
    /// Exit status: 1 = the command failed, 2 = wrong usage.
    var status: Int32

    init(_ message: String, hint: String = "", status: Int32 = 1) {
        self.message = message
        self.hint = hint
        self.status = status
    }

    static func usage(_ message: String, _ syntax: Syntax) -> CommandError {
        CommandError(message, hint: "see: jaga \(syntax.name) --help", status: 2)
    }

    var description: String { hint.isEmpty ? message : "\(message)\n\(hint)" }
}
