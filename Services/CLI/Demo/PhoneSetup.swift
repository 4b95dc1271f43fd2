import Codes
import Dialects

extension PhoneSetup {
    /// A `curl` that reports a position as OwnTracks does, at the time when it is run.
    ///
    /// - Parameter velocity: kilometres an hour; nil = the phone tells none
    func curl(latitude: Double, longitude: Double, velocity: Int? = nil, url: String) -> String {
        let moving = velocity.map { #""vel":\#($0),"# } ?? ""
        let body =
            #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"acc":5,\#(moving)"#
            + #""tid":"\#(trackerID)","tst":'$(date +%s)'}"#
        return """
            curl -sS -u \(user):\(token) -H 'Content-Type: application/json' \\
                -d '\(body)' \(url)/pub
            """
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
