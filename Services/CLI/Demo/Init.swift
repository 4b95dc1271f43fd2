import Dialects
import Model
import Parsing
import Runtime
import Web

/// `jaga init`: guides a first admin to a circle, a phone and a test message.
enum Init: Command {
    static let syntax = Syntax(
        name: "init",
        summary: "create your own circle and first phone, and send a test message",
        details: """
            Asks for your name and contact points, creates your account, a circle with you as its
            admin and a phone, prints the set-up of the OwnTracks app, and sends a test message if
            you want one. Answers can also come from a pipe, one per line.
            """,
        options: [.phoneURL] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let enrolment = Enrolment(api: api)
        Console.print("Create your own circle. An empty answer selects the default in brackets.\n")
        let name = try Question.ask("Your name")
        let phone = try Question.ask(
            "Your mobile number, such as +60123456789", defaultAnswer: "none", check: checkNumber)
        let mail = try Question.ask("Your mail address", defaultAnswer: "none", check: checkMail)
        let circleName = try Question.ask("Name of the circle", defaultAnswer: "Family")
        let timeZone = try Question.ask(
            "Your time zone", defaultAnswer: TimeZoneFolder().machineZoneName(call.environment),
            check: { TimeZoneFolder().rules(of: $0) != nil ? nil : "unknown" })
        let deviceName = try Question.ask("Name of your phone", defaultAnswer: "phone")

        let account = try enrolment.person(
            .init(
                name: name, timeZone: timeZone, phone: phone == "none" ? nil : phone,
                mail: mail == "none" ? nil : mail))
        let person = account.id
        let circle = try enrolment.circle(circleName)
        let trackerID = try enrolment.join(person, to: circle, as: .admin)
        let device = try enrolment.device(deviceName, of: person)
        Console.print(
            "\nCreated your account (\(person)), the circle \(circleName) (\(circle)) and phone."
        )
        for line in Enrolment.activationLines(account) { Console.print(line) }
        let url = try PhoneURL.of(call)
        let setup = PhoneSetup(
            url: url, device: device.id, token: device.token, user: name, deviceName: deviceName,
            trackerID: trackerID)
        Console.print(
            "\nOpen your app's link on the phone, scan the QR code of OwnTracks, or enter the "
                + "values by hand. All of them contain the phone's secret:\n")
        for line in DeviceCommand.lines(of: setup) { Console.print(line) }
        if Console.isTerminal, let link = setup.link(for: .ownTracks) {
            try PhoneSetup.draw(link)
        }
        Console.print(
            "\nThe secret is not shown again. 'jaga device setup \(device.id)' creates a new one "
                + "and revokes this one.")
        Console.print("To report one position from here:\n")
        let home = try call.configuration().text("JAGA_HOME")
        let login = setup.curlLogin(device.id.description, in: home)
        Console.print(setup.curl(latitude: 3.139, longitude: 101.6869, url: api.url, login: login))
        if PhoneURL.isLocal(url) {
            Console.print(
                "\nPhones cannot reach \(url): run 'jaga up --lan' before you scan."
            )
        }
        try offerTest(api, phone: phone, mail: mail)
        Console.print(
            "\nNobody is notified of your emergencies until the circle has another member:")
        Console.print("\n  \(inviteLine(circleName))\n")
        return 0
    }

    /// The command that invites a member.
    static func inviteLine(_ circle: String) -> String {
        "jaga circle join \(Shell.quoted(circle)) NAME --phone NUMBER --mail ADDRESS"
    }

    private static func offerTest(_ api: API, phone: String, mail: String) throws {
        let gateways = try api.list("/v1/gateways").compactMap { $0["name"]?.string }
        for address in [phone, mail] where address != "none" {
            let answer = try Question.ask(
                "\nSend a test message to \(address)? y/n", defaultAnswer: "n")
            guard answer.lowercased().hasPrefix("y") else { continue }
            for gateway in gateways {
                let path = "/v1/gateways/\(Percent.encode(gateway))/test"
                do {
                    let result = try api.post(path, ["to": .string(address)])
                    Console.print("\(gateway): \(result.cell("outcome")) \(result.cell("answer"))")
                } catch let error as CommandError {
                    Console.print("\(gateway): \(error.message)")
                }
            }
        }
    }

    private static func checkNumber(_ text: String) -> String? {
        text == Channel.sms.rules.address(text) ? nil : Channel.sms.rules.addressHint
    }

    private static func checkMail(_ text: String) -> String? {
        text == Channel.email.rules.address(text) ? nil : Channel.email.rules.addressHint
    }
}

/// A question on the terminal.
enum Question {
    /// The text without whitespace at both ends.
    private static func trimmed(_ line: String) -> String {
        guard let first = line.firstIndex(where: { !$0.isWhitespace }),
            let last = line.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(line[first...last])
    }

    /// Asks until the answer is valid. Throws at the end of input.
    ///
    /// - Parameter defaultAnswer: the default for an empty answer; without it an answer is required
    static func ask(
        _ text: String, defaultAnswer: String? = nil, check: (String) -> String? = { _ in nil }
    ) throws(CommandError) -> String {
        while true {
            Console.write(text + (defaultAnswer.map { " [\($0)]" } ?? "") + ": ")
            guard let line = Console.readLine() else {
                throw CommandError(
                    "the input ended before all questions were answered",
                    hint: "nothing else was created")
            }
            let answer = Question.trimmed(line)
            if answer.isEmpty || answer == defaultAnswer {
                if let defaultAnswer { return defaultAnswer }
                Console.print("  an answer is required")
            } else if let fault = check(answer) {
                Console.print("  \(fault)")
            } else {
                return answer
            }
        }
    }
}
