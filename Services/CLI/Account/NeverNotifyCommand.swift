import Parsing

/// `jaga never-notify`: shows and changes the private list of a person.
enum NeverNotifyCommand: Command {
    static let syntax = Syntax(
        name: "never-notify", parameters: ["[VERB]", "[PERSON]"],
        summary: "show and change your private list of who is never notified about you",
        details: """
            show             shows the list; also without a verb
            add PERSON       never notifies PERSON about you, whatever other settings say
            remove PERSON    removes PERSON from the list

            With --circle in place of PERSON, a whole circle is excluded from your emergencies.

            Nobody but you can read or infer the list, also not the operator: set JAGA_TOKEN or
            --token-file to your token. PERSON is an id, or a name in one of your circles.
            """,
        options: [
            .init(name: "--circle", value: "CIRCLE", help: "add, remove: a circle, name or id"),
            .tokenFile, .json,
        ] + Syntax.Option.api)

    static func run(_ call: Call) throws -> Int32 {
        let api = try API(call)
        let path = try OwnAccount(api, call).path + "/never-notify"
        let words = call.parameters.isEmpty ? ["show"] : call.parameters
        let list = NeverNotifyEdit(try api.get(path))
        let changed: NeverNotifyEdit
        switch (words[0], words.count, call.value("--circle")) {
        case ("show", 1, nil):
            try show(list, call, api)
            return 0
        case ("add", 2, nil): changed = list.adding(person: try person(words[1], api))
        case ("add", 1, let circle?): changed = list.adding(circle: circle)
        case ("remove", 2, nil):
            changed = try list.removing(person: try person(words[1], api), words[1])
        case ("remove", 1, let circle?): changed = try list.removing(circle: circle)
        default:
            throw CommandError.usage(
                "show, or add or remove with PERSON or --circle is required", syntax)
        }
        try show(NeverNotifyEdit(try api.put(path, changed.body)), call, api)
        return 0
    }

    private static func person(_ text: String, _ api: API) throws -> String {
        try Names(api: api).id(of: .person, text)
    }

    private static func show(_ list: NeverNotifyEdit, _ call: Call, _ api: API) throws {
        if call.has("--json") { return Console.print(list.answer.text) }
        for line in list.lines(circles: try api.list("/v1/circles")) { Console.print(line) }
    }
}

/// A never-notify list, as read from the suite, and its changes.
struct NeverNotifyEdit {
    let answer: JSON
    private(set) var people: [String]
    private(set) var circles: [String]

    init(_ answer: JSON) {
        self.answer = answer
        people = (answer["people"]?.array ?? []).compactMap(\.string)
        circles = (answer["circles"]?.array ?? []).compactMap(\.string)
    }

    var body: JSON {
        [
            "people": .array(people.map { .string($0) }),
            "circles": .array(circles.map { .string($0) }),
        ]
    }

    func adding(person: String) -> Self {
        var list = self
        if !people.contains(person) { list.people.append(person) }
        return list
    }

    func adding(circle: String) -> Self {
        var list = self
        if !circles.contains(circle) { list.circles.append(circle) }
        return list
    }

    /// - Parameter name: as the user wrote it
    func removing(person: String, _ name: String) throws(CommandError) -> Self {
        var list = self
        guard people.contains(person) else { throw CommandError("\(name) is not on the list") }
        list.people.removeAll { $0 == person }
        return list
    }

    func removing(circle: String) throws(CommandError) -> Self {
        var list = self
        guard circles.contains(circle) else {
            throw CommandError("the circle \(circle) is not excluded")
        }
        list.circles.removeAll { $0 == circle }
        return list
    }

    /// The list for people, with names as far as the person's circles show them.
    func lines(circles own: [JSON]) -> [String] {
        var names: [String: String] = [:]
        for circle in own {
            names[circle.cell("id")] = circle.cell("name")
            for member in circle["members"]?.array ?? [] {
                names[member.cell("person")] = member.cell("name")
            }
        }
        func line(_ kind: String, _ id: String) -> String {
            "\(kind) \([names[id], id].compactMap(\.self).joined(separator: "  "))"
        }
        var lines = people.map { line("never notified", $0) }
        lines += circles.map { line("excluded circle", $0) }
        if lines.isEmpty { return ["The list is empty."] }
        for id in (answer["silentCircles"]?.array ?? []).compactMap(\.string) {
            lines.append("warning: nobody in \(names[id] ?? id) is notified")
        }
        if answer["reachesNobody"]?.bool == true {
            lines.append("warning: an emergency of yours reaches nobody")
        }
        return lines
    }
}
