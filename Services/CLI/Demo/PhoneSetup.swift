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
                -d '\(body)' \(url)/pub
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
        (try? curlFile(name, in: home)) ?? "-u \(user):\(token)"
    }

    private func curlFile(_ name: String, in home: String) throws(SystemError) -> String {
        let folder = home + "/phones"
        try Files.makeFolder(folder, mode: 0o700)
        let file = "\(folder)/\(name).curl"
        let login = "\(user):\(token)".replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try Files.write(Array("user = \"\(login)\"\n".utf8), to: file, mode: 0o600)
        return "-K '\(file.replacing("'", with: "'\\''"))'"
    }

    /// Prints OwnTracks's link, on a terminal its QR code, and what to switch on in the app.
    func show() throws {
        guard let link = link(for: .ownTracks) else { return }
        Console.say("    \(link)")
        if Console.isTerminal { try PhoneSetup.draw(link) }
        for note in notes(for: .ownTracks).prefix(2) { Console.say("    Note: \(note)") }
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
