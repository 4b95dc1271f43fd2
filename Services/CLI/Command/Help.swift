/// Renders the texts of `--help`.
enum Help {
    /// The help of `jaga` itself.
    static func overview(of commands: [any Command.Type]) -> String {
        let width = commands.map { $0.syntax.name.count }.max() ?? 0
        let list = commands.map { command in
            "  \(pad(command.syntax.name, width))  \(command.syntax.summary)"
        }
        return """
            jaga – command-line tool of the Jaga suite

            usage: jaga COMMAND [options]

            \(list.joined(separator: "\n"))

            'jaga COMMAND --help' shows details. Commands that use a running suite connect to
            JAGA_URL (default http://127.0.0.1:8080) with the token in JAGA_TOKEN, or that in
            secrets/operator.token of the folder JAGA_HOME (default ./var).

            """
    }

    /// The help of one subcommand.
    static func text(of syntax: Syntax) -> String {
        let parameters = syntax.parameters.map { " " + $0 }.joined()
        let usage = "usage: jaga \(syntax.name)\(parameters)"
        var text = usage + (syntax.options.isEmpty ? "\n" : " [options]\n")
        text += "\n\(syntax.summary.prefix(1).uppercased())\(syntax.summary.dropFirst()).\n"
        if !syntax.details.isEmpty { text += "\n\(syntax.details)\n" }
        let rows = syntax.options.map { option in
            (option.name + (option.value.map { " " + $0 } ?? ""), option.help)
        }
        if !rows.isEmpty {
            let width = rows.map(\.0.count).max() ?? 0
            text += "\noptions:\n"
            for (option, help) in rows { text += "  \(pad(option, width))  \(help)\n" }
        }
        return text
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
