/// A command cannot go on; its user reads why, and what to do.
struct CommandError: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    var message: String
    /// What to do about it; empty where nothing sensible can be said.
    var hint: String
    /// 1: it failed; 2: it was called wrongly.
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
