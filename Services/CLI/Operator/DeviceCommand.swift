import Dialects
import Hashing
import Model
import Parsing
import Runtime
import Web

/// `jaga device`: manages phones of people.
enum DeviceCommand: Command {
    static let syntax = Syntax(
        name: "device", parameters: ["VERB", "[ID]", "[NAME]"],
        summary: "manage phones: list, add, set up, read the log, set MQTT topics",
        details: """
            list PERSON         lists the phones of a person
            add PERSON NAME     adds a phone and prints its set-up
            setup DEVICE        creates a new secret for a phone and prints its set-up
            remove DEVICE       removes a lost or stolen phone: its secret is revoked at once, for
                                reading, reports and emergencies
            log DEVICE          shows what the server received from a phone and decided in the last
                                seven days, without positions
            topic DEVICE NAME   sets the name under which the phone publishes on the MQTT broker,
                                such as anna/pixel8; '-' = none: the topic's user is the device id
            topics              lists these names, the state of the broker and unknown names

            PERSON is a name or an id; DEVICE is an id, PERSON/NAME, or a PERSON with one phone.

            Only a digest of a phone's secret is stored, so the set-up can be shown only with a new
            secret, or by the secret's holder (--token). A new secret revokes the previous one; for
            the next hour, requests with the previous one get 503, so that the phone keeps its
            reports until it is set up again. The QR code and the links contain the secret.
            """,
        options: [
            .init(
                name: "--app", value: "APP",
                help: "owntracks (default), owntracks-mqtt, overland, traccar, gpslogger"),
            .init(
                name: "--token", value: "@FILE",
                help: "setup: keep the phone's secret: a file with it, or the secret itself"),
            .init(
                name: "--encrypt", value: nil,
                help: "add, setup: encrypt OwnTracks messages with a new passphrase"),
            .init(
                name: "--since", value: "WHEN", help: "log: start at an age such as 2h, or a time"),
            .init(name: "--limit", value: "N", help: "log: at most N entries (default 50)"),
            .init(name: "--follow", value: nil, help: "log: continue with new entries"),
            .phoneURL, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters[0]
        if verb == "topics", call.parameters.count == 1 {
            DeviceTopics.show(try API(call).get("/v1/mqtt"), call)
            return 0
        }
        guard call.parameters.count > 1 else {
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        let id = try id(verb, call)
        switch (verb, call.parameters.count) {
        case ("list", 2): list(try API(call).list("/v1/people/\(API.pathPart(id))/devices"), call)
        case ("add", 3):
            let app = try app(of: call)
            let device = try Enrolment(api: try API(call)).device(
                call.parameters[2], of: id, client: app.name)
            let token = try Token.device(device.token)
            try show(try setup(device.id.description, token: token, call), app, call)
        case ("setup", 2):
            let app = try app(of: call)
            let token = try call.value("--token").map(Token.device)
            try show(try setup(id, token: token, call), app, call)
        case ("remove", 2):
            let api = try API(call)
            try api.delete(path(of: id, api))
            Console.print("removed: its secret is revoked")
        case ("topic", 3):
            try DeviceTopics.set(call.parameters[2], of: id, by: try API(call))
        case ("log", 2): try DeviceLog(api: try API(call), device: id).show(call)
        default:
            throw CommandError.usage(
                "unexpected arguments: \(call.parameters.joined(separator: " "))", syntax)
        }
        return 0
    }

    /// The id of the person or phone that the call names. Ids need no request, which only the
    /// operator may make.
    private static func id(_ verb: String, _ call: Call) throws -> String {
        let text = call.parameters[1]
        if DeviceID(text) != nil || PersonID(text) != nil { return text }
        let names = Names(api: try API(call))
        return ["list", "add"].contains(verb)
            ? try names.id(of: .person, text) : try names.device(text)
    }

    /// The API path of a phone, which contains its person's id.
    private static func path(of device: String, _ api: API) throws -> String {
        for person in try api.list("/v1/people") {
            let devices = "/v1/people/\(person.cell("id"))/devices"
            if try api.list(devices).contains(where: { $0.cell("id") == device }) {
                return "\(devices)/\(device)"
            }
        }
        throw CommandError(
            "there is no phone \(device)", hint: "'jaga device list PERSON' lists phones")
    }

    private static func app(of call: Call) throws(CommandError) -> PhoneSetup.App {
        guard let name = call.value("--app") else { return .ownTracks }
        guard let app = PhoneSetup.App.named(name) else {
            throw .usage("--app: unknown app \(name)", syntax)
        }
        return app
    }

    /// Requests the set-up of a phone with its secret, or with a new one.
    private static func setup(
        _ device: String, token: Token?, _ call: Call
    ) throws -> PhoneSetup {
        let path =
            "/v1/devices/\(API.pathPart(device))/setup?url="
            + Percent.encode(try PhoneURL.of(call))
        let answer: JSON
        if let token {
            answer = try API(call, as: token).get(path)
        } else {
            answer = try API(call).call(.post, path)
        }
        var setup = try read(answer, token: token?.text)
        if call.has("--encrypt") {
            // Created by the client, so that the server stores it only sealed and never returns it.
            let passphrase = Base64.encode(SecureRandom.bytes(24), alphabet: .url)
            let person = answer["person"]?.string ?? ""
            _ = try API(call).put(
                "/v1/people/\(API.pathPart(person))/devices/\(setup.device)/encryption-key",
                ["passphrase": .string(passphrase)])
            setup.passphrase = passphrase
        }
        return setup
    }

    private static func read(
        _ answer: JSON, token: String?
    ) throws(CommandError) -> PhoneSetup {
        guard let device = answer["device"]?.string.flatMap({ DeviceID($0) }),
            let token = token ?? answer["credential"]?["token"]?.string,
            let url = answer["url"]?.string
        else {
            throw CommandError(
                "the response has no set-up",
                hint: "check that jaga and the suite have the same version")
        }
        return PhoneSetup(
            url: url, device: device, token: token, user: answer.cell("user"),
            deviceName: answer.cell("deviceName"), trackerID: answer.cell("trackerID"),
            broker: answer["mqtt"].flatMap { PhoneBroker($0) })
    }

    private static func show(
        _ setup: PhoneSetup, _ chosen: PhoneSetup.App, _ call: Call
    ) throws {
        if call.has("--json") {
            let json: JSON = [
                "device": .string(setup.device.description), "token": .string(setup.token),
                "apps": setup.json,
            ]
            return Console.print(json.text)
        }
        for line in lines(of: setup) { Console.print(line) }
        if let link = setup.link(for: chosen) {
            Console.print("\nScan with the phone for \(chosen.name):\n")
            try PhoneSetup.draw(link)
            if let note = setup.notes(for: chosen).first { Console.print("\n" + note) }
        }
        if PhoneURL.isLocal(setup.url) {
            Console.print(
                "\nPhones cannot reach \(setup.url): start the suite with 'jaga up --lan', or set "
                    + "--phone-url.")
        }
    }

    /// Link and manual settings for every app.
    static func lines(of setup: PhoneSetup) -> [String] {
        var lines = ["\(setup.device), secret \(setup.token)"]
        for app in setup.apps {
            lines += ["", Console.paint(app.name, .bold)] + setup.lines(for: app)
        }
        return lines
    }

    private static func list(_ devices: [JSON], _ call: Call) {
        Listing(
            .field("id"), .field("client"), .field("platform"), .field("name"),
            ifEmpty: "No phones yet. Add one with 'jaga device add PERSON NAME'."
        ).print(devices, call)
    }
}
