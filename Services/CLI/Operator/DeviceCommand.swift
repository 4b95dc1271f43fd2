import Dialects
import Hashing
import Model
import Parsing
import Runtime
import Web

/// `jaga device`: phones of people.
enum DeviceCommand: Command {
    static let syntax = Syntax(
        name: "device", parameters: ["VERB", "[ID]", "[NAME]"],
        summary: "phones of people: list, add, set up, read the diary, topics",
        details: """
            list PERSON         the phones of a person
            add PERSON NAME     a new phone, with what sets it up
            setup DEVICE        a new secret for a phone, with what sets it up
            remove DEVICE       a phone that was lost or stolen: its secret is worth nothing from
                                now on, for reading, for reports and for calls for help
            diary DEVICE        what the server received from a phone and what it decided: of the
                                last seven days, without places
            topic DEVICE NAME   the phone publishes on the operator's MQTT broker under this name,
                                such as anna/pixel8; '-' for none: then the user there is its id
            topics              such names, how the broker is connected, and names of no phone

            PERSON is a name or an id; DEVICE an id, PERSON/NAME, or PERSON who has one phone only.

            Only a digest of a phone's secret is kept: what sets a phone up can be shown when the
            secret is made, or by whoever has it (--token). A new secret ends the one before; what
            the phone sends under that for the next hour is answered 503, and so it keeps it until
            it is set up anew. The code on the terminal and the links hold the secret.
            """,
        options: [
            .init(
                name: "--app", value: "APP",
                help: "add, setup: owntracks (default), owntracks-mqtt, overland, traccar, "
                    + "gpslogger"),
            .init(
                name: "--token", value: "@FILE",
                help: "setup: go on with the secret that the phone has, in a file, or itself"),
            .init(
                name: "--encrypt", value: nil,
                help: "add, setup: OwnTracks encrypts, with a passphrase made here"),
            .init(
                name: "--since", value: "WHEN", help: "diary: from then on, such as 2h"),
            .init(name: "--limit", value: "N", help: "diary: at most so many (default 50)"),
            .init(name: "--follow", value: nil, help: "diary: go on with what comes"),
            .phoneURL, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let verb = call.parameters[0]
        if verb == "topics", call.parameters.count == 1 {
            DeviceTopics.show(try API(call).get("/v1/mqtt"), call)
            return 0
        }
        guard call.parameters.count > 1 else {
            throw CommandError.usage("not understood: device \(verb)", syntax)
        }
        let id = try id(verb, call)
        switch (verb, call.parameters.count) {
        case ("list", 2): list(try API(call).list("/v1/people/\(Holder.part(id))/devices"), call)
        case ("add", 3):
            let app = try app(of: call)
            let device = try Enrolment(api: try API(call)).device(
                call.parameters[2], of: id, client: app.rawValue)
            let token = try Token.device(device.token)
            try show(try setup(device.id.description, token: token, call), app, call)
        case ("setup", 2):
            let app = try app(of: call)
            let token = try call.value("--token").map(Token.device)
            try show(try setup(id, token: token, call), app, call)
        case ("remove", 2):
            let api = try API(call)
            try api.delete(path(of: id, api))
            Console.say("removed: what has its secret is let in no more")
        case ("topic", 3):
            try DeviceTopics.set(call.parameters[2], of: id, by: try API(call))
        case ("diary", 2): try DeviceDiary(api: try API(call), device: id).show(call)
        default: throw CommandError.usage("not understood: device \(verb)", syntax)
        }
        return 0
    }

    /// The id of the person or phone that the call names; of an id no request is made, which only
    /// the operator may.
    private static func id(_ verb: String, _ call: Call) throws -> String {
        let text = call.parameters[1]
        if DeviceID(text) != nil || PersonID(text) != nil { return text }
        let names = Names(api: try API(call))
        return ["list", "add"].contains(verb)
            ? try names.id(of: .person, text) : try names.device(text)
    }

    /// A phone's path, which has its person's id in it.
    private static func path(of device: String, _ api: API) throws -> String {
        for person in try api.list("/v1/people") {
            let devices = "/v1/people/\(person.cell("id"))/devices"
            if try api.list(devices).contains(where: { $0.cell("id") == device }) {
                return "\(devices)/\(device)"
            }
        }
        throw CommandError("there is no phone \(device)", hint: "jaga device list PERSON")
    }

    private static func app(of call: Call) throws(CommandError) -> PhoneSetup.App {
        guard let name = call.value("--app") else { return .ownTracks }
        guard let app = PhoneSetup.App(rawValue: name) else {
            throw .usage("--app is none of the apps: \(name)", syntax)
        }
        return app
    }

    /// What the suite says of a phone's set-up, by the secret that it has or by a new one.
    private static func setup(
        _ device: String, token: Token?, _ call: Call
    ) throws -> PhoneSetup {
        let path =
            "/v1/devices/\(Holder.part(device))/setup?url="
            + Percent.encode(try PhoneURL.of(call))
        let answer: JSON
        if let token {
            answer = try API(call, as: token).get(path)
        } else {
            answer = try API(call).call(.post, path)
        }
        var setup = try read(answer, token: token?.text)
        if call.has("--encrypt") {
            // Made here, so that it is in no answer and in no store but sealed.
            let passphrase = Base64.encode(SecureRandom.bytes(24), alphabet: .url)
            let person = answer["person"]?.string ?? ""
            _ = try API(call).put(
                "/v1/people/\(Holder.part(person))/devices/\(setup.device)/encryption-key",
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
                "the suite answered without a set-up", hint: "are jaga and it of one version?")
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
            return Console.say(json.text)
        }
        for line in lines(of: setup) { Console.say(line) }
        if let link = setup.link(for: chosen) {
            Console.say("\n\(chosen.rawValue), to be scanned with the phone:\n")
            try PhoneSetup.draw(link)
            if let note = setup.notes(for: chosen).first { Console.say("\n" + note) }
        }
        if PhoneURL.isLocal(setup.url) {
            Console.say(
                "\nA phone cannot reach \(setup.url): start with 'jaga up --lan', or say "
                    + "--phone-url.")
        }
    }

    /// A link and what to type, for every app.
    static func lines(of setup: PhoneSetup) -> [String] {
        var lines = ["\(setup.device), secret \(setup.token)"]
        for app in setup.apps {
            lines += ["", Console.paint(app.rawValue, .bold)] + setup.lines(for: app)
        }
        return lines
    }

    private static func list(_ devices: [JSON], _ call: Call) {
        if call.has("--json") {
            for device in devices { Console.say(device.text) }
            return
        }
        guard !devices.isEmpty else {
            return Console.say("No phone yet: jaga device add PERSON NAME")
        }
        var table = Table("id", "client", "platform", "name")
        for device in devices {
            table.add(
                device.cell("id"), device.cell("client"), device.cell("platform"),
                device.cell("name"))
        }
        for line in table.lines { Console.say(line) }
    }
}
