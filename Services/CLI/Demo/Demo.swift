import Model
import Parsing
import Runtime
import Web

/// `jaga demo`: a circle to play with.
enum Demo: Command {
    static let syntax = Syntax(
        name: "demo",
        summary: "make a circle of three people with phones and zones, to play with",
        details: """
            Anna is watched over by Ben and Chitra: numbers are reserved ones, addresses end in
            .example, nobody real is told anything. There are two zones, Home (a circle) and School
            (a polygon). For each phone it prints the link that sets up the OwnTracks app, the same
            as a QR code, and a curl that plays the phone. A second call replaces the circle
            of the first: phones that were set up by it are to be set up again.
            """,
        options: [
            .init(
                name: "--really-send", value: nil,
                help: "go on though messages would leave through a real gateway"),
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

    /// The gateway that keeps messages for `jaga outbox`.
    private static let builtInSink = "sink"

    /// Throws when messages would leave this machine.
    private static func refuseRealGateways(_ api: API) throws {
        let names = try api.list("/v1/gateways").compactMap { $0["name"]?.string }
        guard let name = names.first(where: { $0 != builtInSink }) else { return }
        throw CommandError(
            "messages would leave through the gateway \(name)",
            hint: "the demo's numbers and addresses are reserved ones, but your gateway may charge "
                + "for them; if you mean it: jaga demo --really-send")
    }
}

extension Syntax.Option {
    static let phoneURL = Self(
        name: "--phone-url", value: "URL",
        help: "where phones find the suite (else what 'jaga up' wrote to origin in the home)")
}

/// Where phones find the suite.
enum PhoneURL {
    /// What was said, also by JAGA_PUBLIC_URL, else what `jaga up` wrote, else where this command
    /// finds it.
    static func of(_ call: Call) throws -> String {
        let said = call.value("--phone-url") ?? call.environment["JAGA_PUBLIC_URL"]
        if let said, !said.isEmpty { return said }
        let file = try call.configuration().text("JAGA_HOME") + "/origin"
        guard Files.exists(file) else { return API.url(of: call) }
        let line = try Files.read(file, bytesMax: 4096).prefix { $0 != 10 }
        return String(decoding: line, as: UTF8.self)
    }

    /// Whether a phone cannot reach that address.
    static func isLocal(_ url: String) -> Bool {
        url.contains("://127.") || url.contains("://localhost")
    }
}
