import Codes
import Dialects
import Glibc
import Runtime

extension PhoneSetup {
    /// A curl command that reports a position as OwnTracks does, with the time at which it runs.
    ///
    /// - Parameters:
    ///   - velocity: km/h; nil = unknown
    ///   - login: the result of ``curlLogin(_:in:)``
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

    /// Writes a file with the phone's name and secret for curl, readable by its owner only. They
    /// then appear in no process list or shell history.
    ///
    /// - Parameters:
    ///   - name: file name without extension
    ///   - home: home folder
    /// - Returns: the arguments with which curl reads the file; name and secret themselves if the
    ///   home is not writable, as in a container
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

    /// Prints the set-up of OwnTracks, and on a terminal the QR code of its link.
    func show() throws {
        for line in lines(for: .ownTracks) { Console.print("  " + line) }
        if Console.isTerminal, let link = link(for: .ownTracks) { try PhoneSetup.draw(link) }
    }

    /// Link, manual settings and notes of an app.
    func lines(for app: App) -> [String] {
        (link(for: app).map { ["  link: \($0)"] } ?? [])
            + entries(for: app).map { "  \($0.field): \($0.value)" }
            + notes(for: app).map { "  note: \($0)" }
    }

    /// Draws a text as a QR code if the terminal is wide enough.
    static func draw(_ text: String) throws {
        let code = try QRCode(text)
        guard code.size + 8 <= Console.columns || !Console.isTerminal else {
            return Console.print("    (widen the terminal to see the link as a QR code)")
        }
        for line in code.lines(colors: Console.hasColors) { Console.print(line) }
    }
}
