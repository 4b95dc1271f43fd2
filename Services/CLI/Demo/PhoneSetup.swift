import Codes
import Dialects
import Glibc
import Runtime

extension PhoneSetup {
    /// A `curl` that reports a position as OwnTracks does, at the time when it is run.
    ///
    /// - Parameters:
    ///   - velocity: kilometres an hour; nil = the phone tells none
    ///   - login: what ``curlLogin(_:in:)`` returned
    func curl(
        latitude: Double, longitude: Double, velocity: Int? = nil, url: String, login: String
    ) -> String {
        let moving = velocity.map { #""vel":\#($0),"# } ?? ""
        let body =
            #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"acc":5,\#(moving)"#
            + #""tid":"\#(trackerID)","tst":'$(date +%s)'}"#
        return """
            curl -sS \(login) -H 'Content-Type: application/json' \\
                -d '\(body)' \(Shell.quoted(url + "/pub"))
            """
    }

    /// Writes a file that only its owner can read, from which curl takes the phone's name and
    /// secret. So they stand in no list of processes and in no history of a shell.
    ///
    /// - Parameters:
    ///   - name: of the file, without its ending
    ///   - home: the folder of Jaga's files
    /// - Returns: the arguments that make curl read it; name and secret themselves where the home
    ///   cannot be written, as in a container
    func curlLogin(_ name: String, in home: String) -> String {
        (try? curlFile(name, in: home)) ?? "-u \(Shell.quoted("\(user):\(token)"))"
    }

    private func curlFile(_ name: String, in home: String) throws(SystemError) -> String {
        let folder = home + "/phones"
        try Files.makeFolder(folder, mode: 0o700)
        let file = "\(folder)/\(name).curl"
        let login = "\(user):\(token)".replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try Files.write(Array("user = \"\(login)\"\n".utf8), to: file, mode: 0o600)
        return "-K \(Shell.quoted(file))"
    }

    /// Prints what sets up OwnTracks, and on a terminal the QR code of the link.
    func show() throws {
        for line in lines(for: .ownTracks) { Console.say("  " + line) }
        if Console.isTerminal, let link = link(for: .ownTracks) { try PhoneSetup.draw(link) }
    }

    /// The link of an app, the values to enter by hand, and what to know before.
    func lines(for app: App) -> [String] {
        (link(for: app).map { ["  link: \($0)"] } ?? [])
            + entries(for: app).map { "  \($0.field): \($0.value)" }
            + notes(for: app).map { "  note: \($0)" }
    }

    /// Draws a text as a QR code, if the terminal is wide enough.
    static func draw(_ text: String) throws {
        let code = try QRCode(text)
        guard code.size + 8 <= Console.columns || !Console.isTerminal else {
            return Console.say("    (a wider terminal would show the link as a QR code)")
        }
        for line in code.lines(colors: Console.hasColors) { Console.say(line) }
    }
}
