import Model
import Parsing
import Runtime
import Web

/// `jaga demo`: creates a circle to experiment with.
enum Demo: Command {
    static let syntax = Syntax(
        name: "demo",
        summary: "create a demo circle of three people with phones and zones",
        details: """
            Anna is protected by Ben and Chitra. Their numbers and addresses are reserved for
            examples, so no real person is notified. There are two zones, Home (a circle) and School
            (a polygon). For each phone the command prints the set-up link of the OwnTracks app, its
            QR code, and a curl command that simulates the phone. Running it again replaces the
            circle; phones have to be set up again.
            """,
        options: [
            .init(
                name: "--really-send", value: nil,
                help: "continue even if a real gateway is configured"),
            .phoneURL,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        if !call.has("--really-send") { try refuseRealGateways(api) }
        try DemoCircle.removeFormer(api)
        let demo = try DemoCircle(make: Enrolment(api: api))
        let url = try PhoneURL.of(call)
        try demo.playBeginning(api)
        try demo.show(phoneURL: url, api: api, home: call.configuration().text("JAGA_HOME"))
        return 0
    }

    /// The built-in sink, whose messages `jaga outbox` shows.
    private static let builtInSink = "sink"

    /// Throws if a real gateway is configured.
    private static func refuseRealGateways(_ api: API) throws {
        let names = try api.list("/v1/gateways").compactMap { $0["name"]?.string }
        guard let name = names.first(where: { $0 != builtInSink }) else { return }
        throw CommandError(
            "messages would be sent through the gateway \(name)",
            hint: "the demo's numbers and addresses are reserved, but your gateway may charge "
                + "for them; to continue: jaga demo --really-send")
    }
}

extension Syntax.Option {
    static let phoneURL = Self(
        name: "--phone-url", value: "URL",
        help: "URL for phones (default: JAGA_PUBLIC_URL, or the file origin in the home)")
}

/// The URL at which phones reach the suite.
enum PhoneURL {
    /// The URL from the option, JAGA_PUBLIC_URL, the file `origin` that `jaga up` writes, or the
    /// API's URL.
    static func of(_ call: Call) throws -> String {
        let given = call.value("--phone-url") ?? call.environment["JAGA_PUBLIC_URL"]
        if let given, !given.isEmpty { return given }
        let file = try call.configuration().text("JAGA_HOME") + "/origin"
        guard Files.exists(file) else { return API.url(of: call) }
        let line = try Files.read(file, bytesMax: 4096).prefix { $0 != 10 }
        return String(decoding: line, as: UTF8.self)
    }

    /// Whether the URL is local, so phones cannot reach it.
    static func isLocal(_ url: String) -> Bool {
        url.contains("://127.") || url.contains("://localhost")
    }
}
