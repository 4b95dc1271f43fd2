import Dialects
import Model
import Parsing
import Runtime
import Web

/// `jaga init`: the way of a first admin to a circle, a phone and a test message.
enum Init: Command {
    static let syntax = Syntax(
        name: "init",
        summary: "ask the way to your own circle, first phone and a test message",
        details: """
            Asks on the terminal, makes you with your contact points, a circle with you as its
            admin and a phone, prints what sets up the OwnTracks app, and sends a test message if
            you want one. Answers can also come from a pipe, one a line.
            """,
        options: [.phoneURL] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let enrolment = Enrolment(api: api)
        Console.say("Your own circle. An empty answer takes what stands in brackets.\n")
        let name = try Question.ask("Your name")
        let phone = try Question.ask(
            "Your mobile number, such as +60123456789", usual: "none", check: checkNumber)
        let mail = try Question.ask("Your mail address", usual: "none", check: checkMail)
        let circleName = try Question.ask("Name of the circle", usual: "Family")
        let timeZone = try Question.ask(
            "Your time zone", usual: TimeZoneFolder().nameOfMachine(call.environment),
            check: { TimeZoneFolder().rules(of: $0) != nil ? nil : "unknown" })
        let deviceName = try Question.ask("Name of your phone", usual: "phone")

        let person = try enrolment.person(
            .init(
                name: name, timeZone: timeZone, phone: phone == "none" ? nil : phone,
                mail: mail == "none" ? nil : mail))
        let circle = try enrolment.circle(circleName)
        let trackerID = try enrolment.join(person, to: circle, as: .admin)
        let device = try enrolment.device(deviceName, of: person)
        Console.say("\nMade you (\(person)), the circle \(circleName) (\(circle)) and the phone.")
        let url = try PhoneURL.of(call)
        let setup = PhoneSetup(
            url: url, device: device.id, token: device.token, user: name, deviceName: deviceName,
            trackerID: trackerID)
        Console.say(
            "\nOpen the link of your app on the phone, scan the code of OwnTracks, or enter the "
                + "values by hand. All of them hold the phone's secret:\n")
        for line in DeviceCommand.lines(of: setup) { Console.say(line) }
        if Console.isTerminal, let link = setup.link(for: .ownTracks) {
            try PhoneSetup.draw(link)
        }
        Console.say(
            "\nOnly this prints the secret. 'jaga device setup \(device.id)' makes a new one, "
                + "which ends this one.")
        Console.say("Or report once from here:\n")
        let home = try call.configuration().text("JAGA_HOME")
        let login = setup.curlLogin(device.id.description, in: home)
        Console.say(setup.curl(latitude: 3.139, longitude: 101.6869, url: api.url, login: login))
        if PhoneURL.isLocal(url) {
            Console.say(
                "\nA phone cannot reach \(url): start with 'jaga up --lan' before you scan.")
        }
        try offerTest(api, phone: phone, mail: mail)
        Console.say(
            "\nNobody is told of an emergency of yours before somebody else is in the circle:")
        Console.say("\n  \(inviteLine(circleName))\n")
        return 0
    }

    /// The command that invites somebody, to be pasted.
    static func inviteLine(_ circle: String) -> String {
        "jaga circle invite \(Shell.quoted(circle)) NAME --phone NUMBER --mail ADDRESS"
    }

    private static func offerTest(_ api: API, phone: String, mail: String) throws {
        let gateways = try api.list("/v1/gateways").compactMap { $0["name"]?.string }
        for address in [phone, mail] where address != "none" {
            let answer = try Question.ask("\nSend a test message to \(address)? y/n", usual: "n")
            guard answer.lowercased().hasPrefix("y") else { continue }
            for gateway in gateways {
                let path = "/v1/gateways/\(Percent.encode(gateway))/test"
                do {
                    let result = try api.post(path, ["to": .string(address)])
                    Console.say("\(gateway): \(result.cell("outcome")) \(result.cell("answer"))")
                } catch let error as CommandError {
                    Console.say("\(gateway): \(error.message)")
                }
            }
        }
    }

    private static func checkNumber(_ text: String) -> String? {
        let digits = text.dropFirst()
        let isNumber =
            text.hasPrefix("+") && (7...15).contains(digits.count)
            && digits.allSatisfy { $0.isASCII && $0.isNumber }
        return isNumber ? nil : "that is no number with its country, such as +60123456789"
    }

    private static func checkMail(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress = parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
        return isAddress ? nil : "that is no address such as me@example.org"
    }
}

/// A question on the terminal.
enum Question {
    /// Without blanks at both ends.
    private static func trimmed(_ line: String) -> String {
        guard let first = line.firstIndex(where: { !$0.isWhitespace }),
            let last = line.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(line[first...last])
    }

    /// Asks until the answer is good; throws at the end of input.
    ///
    /// - Parameter usual: what an empty answer means; without it one is needed
    static func ask(
        _ text: String, usual: String? = nil, check: (String) -> String? = { _ in nil }
    ) throws(CommandError) -> String {
        while true {
            Console.write(text + (usual.map { " [\($0)]" } ?? "") + ": ")
            guard let line = Console.readLine() else {
                throw CommandError(
                    "the answers ended before the questions", hint: "nothing else was made")
            }
            let answer = Question.trimmed(line)
            if answer.isEmpty || answer == usual {
                if let usual { return usual }
                Console.say("  an answer is needed")
            } else if let fault = check(answer) {
                Console.say("  \(fault)")
            } else {
                return answer
            }
        }
    }
}
