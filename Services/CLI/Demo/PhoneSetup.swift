import Codes
import Hashing
import Parsing
import Web

/// What sets up the OwnTracks app of one phone.
struct PhoneSetup: Sendable {
    /// Where the phone finds the suite, such as `http://192.168.1.5:8080`.
    var url: String
    /// The name that the app signs in with; the suite goes by the token alone.
    var user: String
    var token: String
    var device: String
    /// Two characters that the app shows on its map.
    var trackerID: String

    /// The app's configuration file (`.otrc`): HTTP mode, signed in, with leave to be told how
    /// often to report.
    var configuration: JSON {
        [
            "_type": "configuration", "mode": 3, "url": .string(url + "/pub"), "auth": true,
            "username": .string(user), "password": .string(token), "deviceId": .string(device),
            "tid": .string(trackerID), "cmd": true, "remoteConfiguration": true,
        ]
    }

    /// Opened on the phone, it sets up the app.
    var link: String {
        let inline = Base64.encode(configuration.serialized())
        return "owntracks:///config?inline=" + Percent.encode(inline)
    }

    /// A `curl` that reports a position as the app does, at the time when it is run.
    func curl(latitude: Double, longitude: Double, url: String) -> String {
        let body =
            #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"acc":10,"#
            + #""tid":"\#(trackerID)","tst":'$(date +%s)'}"#
        return """
            curl -sS -u \(user):\(token) -H 'Content-Type: application/json' \\
                -d '\(body)' \(url)/pub
            """
    }

    /// Prints the link, and on a terminal its QR code.
    func show() throws {
        Console.say("    \(link)")
        guard Console.isTerminal else { return }
        let code = try QRCode(link)
        guard code.size + 8 <= Console.columns else {
            return Console.say("    (a wider terminal would show the link as a QR code)")
        }
        for line in code.lines(colors: Console.hasColors) { Console.say(line) }
    }
}
