import API
import Glibc
import Model
import Parsing
import TestSupport

/// A caller of the matrix.
struct Caller {
    let kind: CallerKind
    /// Nil if it is no person.
    let relation: Relation?
    /// The value of the header `Authorization` or `Cookie`; nil = none.
    var secret: String?

    static let nobody = Caller(kind: .none, relation: nil, secret: nil)

    /// The token, if it is not a cookie's.
    var token: String? { kind == .session ? nil : secret }

    var name: String {
        [kind.rawValue, relation?.rawValue].compactMap(\.self).joined(separator: " ")
    }
}

/// A person with a credential of each kind.
struct CallingPerson {
    let person: Household.Person
    let device: String
    let credential: String
    let phone: String
    let help: String
    /// `name=token` of the cookie.
    var session: String

    func callers(as relation: Relation) -> [Caller] {
        [
            // Before the person's other credentials, which can end sessions.
            Caller(kind: .session, relation: relation, secret: session),
            Caller(kind: .person, relation: relation, secret: person.api.token),
            Caller(kind: .report, relation: relation, secret: phone),
            Caller(kind: .help, relation: relation, secret: help),
        ]
    }
}

/// A person, and a circle, with everything that requests can be about.
struct Subject {
    let owner: CallingPerson
    let isWard: Bool
    /// Values of path parameters; of zones, messages and members by the kind of their owner.
    var ids: [String: String]

    /// The path of an operation with the ids of this subject.
    func path(of operation: Operation, _ own: [String: String] = [:]) -> String {
        Subject.fill(operation.path) { name, root in
            own[name] ?? ids["/\(root) \(name)"] ?? ids[name]
        }
    }

    /// The path with ids that nothing has.
    static func nothing(_ operation: Operation) -> String {
        fill(operation.path) { name, _ in
            name == "action" ? "close" : unknown[name].map { $0 + "_" + sevens }
        }
    }

    private static let sevens = String(repeating: "7", count: 26)
    private static let unknown = [
        "person": "per", "circle": "cir", "device": "dev", "zone": "zon", "set": "set",
        "message": "msg", "emergency": "emg", "journey": "jny", "watch": "wat",
        "notification": "ntf", "photo": "pho", "credential": "crd", "draft": "drf",
        "suggestion": "sug", "contact": "con", "invitation": "inv", "consent": "cst",
        "session": "crd", "passkey": "pky", "entry": "qua", "schedule": "cks", "drill": "drl",
        "call": "upc",
    ]

    private static func fill(
        _ path: String, _ value: (_ name: String, _ root: String) -> String?
    ) -> String {
        let root = path.split(separator: "/").prefix(2).joined(separator: "/")
        let parts = path.split(separator: "/").map { part -> String in
            guard part.hasPrefix("{"), let end = part.firstIndex(of: "}") else {
                return String(part)
            }
            let name = String(part[part.index(after: part.startIndex)..<end])
            let known = value(name, root) ?? unknown[name].map { $0 + "_" + sevens } ?? "none"
            return known + part[part.index(after: end)...]
        }
        return "/" + parts.joined(separator: "/")
    }
}

/// The running suite with callers of every relation, and requests for every operation.
final class AuthorisationWorld {
    let home: Household
    private let contract: Contract
    private let described: [String: Contract.Operation]
    private let links: [ServiceName: KeptHTTP]
    private var others: [Relation: CallingPerson] = [:]
    private let monitor: String
    /// The operator's token, which the matrix replaces.
    private var operatorToken: String
    /// Notifications with codes that were used.
    private var usedCodes: Set<String> = []
    private var people = 0
    private(set) var requests = 0
    private(set) var adult: Subject
    private(set) var ward: Subject

    init(_ home: Household) async throws {
        self.home = home
        let contract = try Contract()
        self.contract = contract
        described = Dictionary(uniqueKeysWithValues: contract.operations.map { ($0.id, $0) })
        links = Dictionary(
            uniqueKeysWithValues: [
                ServiceName.ingest, .membership, .timer, .notifier,
            ].map { ($0, KeptHTTP(port: home.suite.portBase + $0.portOffset)) })
        operatorToken = home.admin.token
        monitor = try home.admin.call("POST", "/v1/admin/monitoring-token", [:])
            .member("credential").text("token")
        let nobody = CallingPerson(
            person: home.anna, device: "", credential: "", phone: "", help: "", session: "")
        adult = Subject(owner: nobody, isWard: false, ids: [:])
        ward = adult
        for relation in Relation.allCases where relation != .own && relation != .ward {
            others[relation] = try await caller("Q" + relation.rawValue)
        }
        for (relation, role) in [(Relation.officer, "officer"), (.staffOperator, "operator")] {
            try home.admin.call(
                "PUT", "/v1/people/\(other(relation).person.id)", ["staff": .string(role)])
        }
        let elsewhere = try other(.otherCircle).person.api
        try elsewhere.call("POST", "/v1/circles", ["name": "Elsewhere"])
        adult = try await subject(isWard: false)
        ward = try await subject(isWard: true)
    }

    private func other(_ relation: Relation) throws -> CallingPerson {
        guard let other = others[relation] else { throw TestFailure("no \(relation.rawValue)") }
        return other
    }

    // MARK: People

    private func nextNumber() -> String {
        people += 1
        return "+1555\(1_000_000 + people)"
    }

    /// A person with a credential of each kind.
    private func caller(_ name: String) async throws -> CallingPerson {
        try await caller(Household.person(name, number: nextNumber(), home.admin))
    }

    private func caller(_ person: Household.Person) async throws -> CallingPerson {
        let made = try home.admin.call(
            "POST", "/v1/people/\(person.id)/devices", ["name": "phone", "platform": "android"])
        let credential = try made.member("credential")
        let help = try person.api.call(
            "POST", "/v1/people/\(person.id)/credentials", ["kind": "help", "name": "button"])
        return CallingPerson(
            person: person, device: try made.member("device").text("id"),
            credential: try credential.text("id"), phone: try credential.text("token"),
            help: try help.member("credential").text("token"),
            session: try await signIn(person).cookie)
    }

    /// A ward of the guardian, who signs in by code and makes a credential.
    private func newWard(of guardian: String) async throws -> Household.Person {
        let number = nextNumber()
        let name = "Ward\(people)"
        let made = try home.admin.call(
            "POST", "/v1/people/\(guardian)/wards",
            [
                "name": .string(name), "wardUntil": "2040-01-01T00:00:00Z",
                "contacts": [
                    [
                        "channel": "email", "vouched": true,
                        "address": .string("\(name.lowercased())@example.test"),
                    ]
                ],
            ])
        let nobody = API(http: home.suite.http, token: "")
        let ward = Household.Person(
            name: name, id: try made.text("id"), number: number, api: nobody)
        let cookie = try await signIn(ward).cookie
        let credential = try post(
            "/v1/people/\(ward.id)/credentials", ["kind": "person", "name": "script"],
            headers: [("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")])
        guard credential.status == 201 else {
            throw TestFailure("a ward's credential: \(credential.text)")
        }
        let token = try credential.json.member("credential").text("token")
        return Household.Person(
            name: name, id: ward.id, number: number, api: API(http: nobody.http, token: token))
    }

    /// Signs in by a code to the person's mail address.
    private func signIn(
        _ person: Household.Person
    ) async throws -> (cookie: String, session: String) {
        let contact = JSON.string(person.mail)
        let asked = try post("/v1/sign-in/codes", .object([.init("contact", contact)]))
        guard asked.status == 202 else { throw TestFailure("no code: \(asked.text)") }
        var code: String?
        let admin = home.admin
        let arrives = await eventually {
            let page = try? admin.call("GET", "/v1/outbox?limit=50")
            for item in page?["items"]?.array ?? [] where item["to"] == contact {
                guard let id = item["notification"]?.string, !self.usedCodes.contains(id),
                    let text = item["text"]?.string, text.contains("code to sign in"),
                    let digits = text.firstMatch(of: /\d{6}/)
                else { continue }
                self.usedCodes.insert(id)
                code = String(digits.output)
                return true
            }
            return false
        }
        guard arrives, let code else { throw TestFailure("no code arrives for \(person.mail)") }
        let opened = try post(
            "/v1/sessions",
            .object([.init("contact", contact), .init("code", .string(code))]))
        guard opened.status == 201, let cookie = opened.headers["set-cookie"] else {
            throw TestFailure("no session: \(opened.status) \(opened.text)")
        }
        return (
            String(cookie.prefix { $0 != ";" }), try opened.json.member("session").text("id")
        )
    }

    /// Sends JSON to membership.
    private func post(
        _ path: String, _ json: JSON, headers: [(String, String)] = []
    ) throws -> PlainHTTP.Answer {
        guard let link = links[.membership] else { throw TestFailure("no membership") }
        return try link.send(
            "POST", path, headers: headers + [("Content-Type", "application/json")],
            body: json.serialized())
    }

    // MARK: Subjects

    /// Creates a subject: an adult, admin of a circle with a guardian, a member and a removed
    /// member; or a ward in the circle of the guardian.
    private func subject(isWard: Bool) async throws -> Subject {
        let admin = home.admin
        let guardian = try other(.wardsGuardian).person
        let owner =
            isWard
            ? try await caller(newWard(of: guardian.id)) : try await caller("dora")
        let person = owner.person
        let own = "/v1/people/\(person.id)"
        var ids = [
            "person": person.id, "device": owner.device, "credential": owner.credential,
            "action": "close", "guardian": guardian.id,
        ]
        ids["contact"] = try admin.call("GET", own)["contacts"]?[0]?["id"]?.string
        let circleAdmin = isWard ? guardian.api : person.api
        let circle = try circleAdmin.call("POST", "/v1/circles", ["name": "Ours"]).text("id")
        ids["circle"] = circle
        let path = "/v1/circles/\(circle)"
        func add(_ id: String, _ role: String) throws {
            try admin.call(
                "POST", path + "/members", ["person": .string(id), "role": .string(role)])
        }
        if isWard {
            try add(person.id, "member")
        } else {
            try add(other(.guardian).person.id, "guardian")
            for relation in [Relation.member, .removed] {
                try add(other(relation).person.id, "member")
            }
            try admin.call("DELETE", path + "/members/\(other(.removed).person.id)")
        }
        let spare = try admin.call("POST", "/v1/people", ["name": "Spare"]).text("id")
        try add(spare, "member")
        ids["/v1/circles person"] = spare
        ids["new"] = try admin.call("POST", "/v1/people", ["name": "New"]).text("id")
        for sees in [false, true] {
            try admin.call("PUT", path, ["membersSeePositions": .bool(sees)])
        }
        let consents = try person.api.call("GET", own + "/consents")
        ids["consent"] = consents["items"]?[0]?["id"]?.string
        // Members are seen by those who agreed.
        let agreeing = isWard ? guardian.api : person.api
        try agreeing.call(
            "PUT", own + "/consents/\(ids["consent"] ?? "none")", ["agreed": true])
        let invitation = try admin.call("POST", path + "/invitations", ["uses": 9])
        ids["invitation"] = try invitation.text("id")
        let zone = Zone.park.feature
        let text: JSON = ["number": "+15550000199", "line": "At school"]
        ids["set"] = try admin.call("POST", "/v1/sets", ["name": "Lakes"]).text("id")
        ids["/v1/circles zone"] = try admin.call("POST", path + "/zones", zone).text("id")
        ids["/v1/sets zone"] =
            try admin.call("POST", "/v1/sets/\(ids["set"] ?? "")/zones", zone).text("id")
        ids["/v1/people zone"] = try person.api.call("POST", own + "/zones", zone).text("id")
        ids["/v1/circles message"] =
            try admin.call("POST", path + "/messages", text).text("id")
        ids["/v1/people message"] =
            try person.api.call("POST", own + "/messages", text).text("id")
        ids["journey"] = try person.api.call("POST", own + "/journeys", [:]).text("id")
        ids["schedule"] = try person.api.call(
            "POST", own + "/check-in-schedules", Self.checkIns
        ).text("id")
        try person.api.call("PUT", own + "/timer", ["seconds": 80_000])
        ids["watch"] = try person.api.call("POST", "/v1/watches", ["minutes": 600]).text("id")
        let mine = try await signIn(person)
        ids["session"] = mine.session
        ids["gateway"] = try admin.list("/v1/gateways").first?.text("name")
        // Everybody accepts an invitation to a circle that nobody is in.
        let joined = try admin.call("POST", "/v1/circles", ["name": "Open"]).text("id")
        let link = try admin.call("POST", "/v1/circles/\(joined)/invitations", ["uses": 99])
        ids["invitation token"] =
            try link.text("link").split(separator: "=").last.map(String.init)
        ids["emergency"] = try await callForHelp(person)
        return Subject(owner: owner, isWard: isWard, ids: ids)
    }

    /// Opens an emergency, and waits until guardians were notified.
    private func callForHelp(_ person: Household.Person) async throws -> String {
        let id = try person.api.call("POST", "/v1/emergencies", ["countdown": 0]).text("id")
        let admin = home.admin
        let isOpen = await eventually {
            let row = try? admin.call("GET", "/v1/escalations/\(id)")
            return row?["state"]?.string == "open" && row?["notified"]?.int ?? 0 > 0
        }
        guard isOpen else { throw TestFailure("the emergency of \(person.name) does not open") }
        return id
    }

    var operatorCaller: Caller {
        Caller(kind: .operator, relation: nil, secret: operatorToken)
    }

    /// The callers of a subject's matrix.
    func callers(of subject: Subject) -> [Caller] {
        if subject.isWard {
            return subject.owner.callers(as: .ward)
                + (others[.wardsGuardian]?.callers(as: .wardsGuardian) ?? [])
        }
        let fixed = [
            .nobody,
            Caller(kind: .wrong, relation: nil, secret: String(repeating: "x", count: 43)),
            Caller(kind: .monitor, relation: nil, secret: monitor),
            operatorCaller,
        ]
        return fixed + subject.owner.callers(as: .own)
            + Relation.allCases.flatMap { relation in
                [.own, .ward, .wardsGuardian].contains(relation)
                    ? [] : others[relation]?.callers(as: relation) ?? []
            }
    }

    // MARK: What a request removes

    /// Creates what an allowed request removes, so that the next caller finds it, too.
    ///
    /// - Returns: path parameters of their own, and the caller
    func prepare(
        _ name: String, _ subject: Subject, _ caller: Caller
    ) async throws -> (ids: [String: String], caller: Caller) {
        var caller = caller
        let admin = API(http: home.suite.http, token: operatorToken)
        let owner = subject.owner.person
        let own = "/v1/people/\(owner.id)"
        let circle = "/v1/circles/\(subject.ids["circle"] ?? "")"
        let set = "/v1/sets/\(subject.ids["set"] ?? "")"
        let text: JSON = ["number": "+15550000199", "line": "At school"]
        var ids: [String: String] = [:]
        func make(_ id: String, _ path: String, _ body: JSON, by api: API) throws {
            ids[id] = try api.call("POST", path, body).text("id")
        }
        switch name {
        case "removePerson":
            guard caller.relation != .wardsGuardian else {
                let guardian = try other(.wardsGuardian).person
                try make(
                    "person", "/v1/people/\(guardian.id)/wards",
                    ["name": "Gone", "wardUntil": "2040-01-01T00:00:00Z"], by: admin)
                break
            }
            let gone = try Household.person(
                "gone\(people + 1)", number: nextNumber(), admin)
            ids["person"] = gone.id
            guard caller.relation == .own else { break }
            caller.secret =
                caller.kind == .session ? try await signIn(gone).cookie : gone.api.token
        case "removeDevice":
            ids["device"] = try admin.call("POST", own + "/devices", ["name": "spare"])
                .member("device").text("id")
        case "rotateCredential", "setUpDevice":
            // Not the phone that is a caller.
            let known = try admin.list(own + "/devices").first { $0["name"] == "second" }
            ids["device"] =
                try known?.text("id")
                ?? admin.call("POST", own + "/devices", ["name": "second"]).member("device")
                .text("id")
        case "removeCredential":
            ids["credential"] = try owner.api.call("POST", own + "/credentials", [:])
                .member("credential").text("id")
        case "removeCircle":
            let api = subject.isWard ? try other(.wardsGuardian).person.api : owner.api
            try make("circle", "/v1/circles", ["name": "Gone"], by: api)
        case "removeMember", "updateMember":
            let spare = JSON.string(subject.ids["/v1/circles person"] ?? "")
            _ = try admin.send("POST", circle + "/members", ["person": spare, "role": "member"])
        case "removeMember/leave":
            _ = try admin.send(
                "POST", circle + "/members", ["person": .string(owner.id), "role": "member"])
        case "removeZone": try make("zone", circle + "/zones", Zone.park.feature, by: admin)
        case "removeZoneOfSet": try make("zone", set + "/zones", Zone.park.feature, by: admin)
        case "removePrivateZone":
            try make("zone", own + "/zones", Zone.park.feature, by: owner.api)
        case "removeCircleMessage": try make("message", circle + "/messages", text, by: admin)
        case "removePrivateMessage":
            try make("message", own + "/messages", text, by: owner.api)
        case "removeSet": try make("set", "/v1/sets", ["name": "Gone"], by: admin)
        case "unsubscribeSet":
            try admin.call("PUT", "\(circle)/sets/\(subject.ids["set"] ?? "")")
        case "deleteJourney", "resetJourney":
            try make("journey", own + "/journeys", [:], by: owner.api)
        case "cancelWatch", "endWatch", "extendWatch":
            try make("watch", "/v1/watches", ["minutes": 600, "pin": "4711"], by: owner.api)
        case "deleteCheckInSchedule", "replaceCheckInSchedule":
            try make("schedule", own + "/check-in-schedules", Self.checkIns, by: owner.api)
        case "createCheckInSchedule":
            // A person may have few.
            let list = try owner.api.call("GET", own + "/check-in-schedules")
            for schedule in (list["items"]?.array ?? []).dropFirst(5) {
                let id = try schedule.text("id")
                try owner.api.call(
                    "DELETE", own + "/check-in-schedules/" + id, ["pin": "4711"])
            }
        case "stopTimer": try owner.api.call("PUT", own + "/timer", ["seconds": 80_000])
        case "revokeInvitation": try make("invitation", circle + "/invitations", [:], by: admin)
        case "endSession": ids["session"] = try await signIn(owner).session
        case "signOut":
            guard let relation = caller.relation else { break }
            let person =
                relation == .own || relation == .ward ? owner : try other(relation).person
            caller.secret = try await signIn(person).cookie
        default: break
        }
        return (ids, caller)
    }

    // MARK: Requests

    /// Bodies that decide which right is needed, or that the contract has no sample of.
    private static let bodies = [
        "updatePerson": #"{"timeZone":"UTC"}"#, "updatePerson/name": #"{"name":"Renamed"}"#,
        "updatePerson/contacts":
            #"{"contacts":[{"channel":"email","address":"another@example.test"}]}"#,
        "updatePerson/plan": #"{"plan":"paid"}"#, "updatePerson/billing": #"{"billing":"store"}"#,
        "updateMember": #"{"role":"member"}"#, "updateMember/sharing": #"{"sharing":"on"}"#,
        "updateCircle": #"{"name":"Renamed"}"#, "updateCircle/history": #"{"historyDays":30}"#,
        "updateCircle/escalation":
            #"{"escalation":[{"roles":["guardian"],"channels":["sms"],"waitSeconds":60}]}"#,
        "addMember": #"{"person":"{new}","role":"member"}"#,
        "setNeverNotifyList": #"{"people":["{guardian}"],"circles":[]}"#,
        "setPIN": #"{"pin":"4711"}"#, "setDuressPIN": #"{"pin":"0815","current":"4711"}"#,
        "raiseEmergency": #"{"countdown":600}"#, "startWatch": #"{"minutes":60,"pin":"4711"}"#,
        "endWatch": pin, "cancelWatch": pin, "checkIn": pin, "deleteCheckInSchedule": pin,
        "createCheckInSchedule": checkInsText,
        "replaceCheckInSchedule": checkInsText, "startTimer": #"{"seconds":80000}"#,
        "mailZone": mail, "mailPrivateZone": mail, "mailZoneOfSet": mail, "mailSet": mail,
        "createPerson": #"{"name":"Made"}"#,
        "scheduleDrills": #"{"day":1,"time":"10:00"}"#,
        "declareWard": #"{"name":"Made","wardUntil":"2040-01-01T00:00:00Z"}"#,
        "createCredential": #"{"kind":"person","name":"script"}"#,
    ]
    private static let pin = #"{"pin":"4711"}"#
    private static let checkInsText =
        #"{"times":[{"days":["mon"],"at":"18:00"}],"pin":"4711"}"#
    private static let checkIns: JSON = [
        "times": [["days": ["mon"], "at": "18:00"]], "pin": "4711",
    ]
    private static let mail = #"{"to":"somebody@example.test"}"#

    /// Path parameters of the requests that are about the person, not about another member.
    private static let aboutThemselves: Set = ["updateMember/sharing", "removeMember/leave"]

    private static let aboutZonesOfCircles: Set = [
        "optOutOfZone", "optInToZone", "acceptZone", "declineZone",
    ]

    /// The path of a request about a subject.
    func path(
        _ operation: Operation, _ name: String, _ subject: Subject, _ ids: [String: String] = [:]
    ) -> String {
        var ids = ids
        if Self.aboutThemselves.contains(name) { ids["person"] = subject.owner.person.id }
        if Self.aboutZonesOfCircles.contains(name) { ids["zone"] = subject.ids["/v1/circles zone"] }
        return subject.path(of: operation, ids)
    }

    /// Sends the request of an operation.
    ///
    /// - Parameters:
    ///   - name: of the operation, or one with another body
    ///   - path: with ids
    func send(
        _ operation: Operation, _ name: String, _ path: String, about subject: Subject,
        as caller: Caller
    ) throws -> PlainHTTP.Answer {
        guard let link = links[operation.service] else {
            throw TestFailure("no service for \(operation.path)")
        }
        let described = operation.name.flatMap { self.described[$0] }
        var headers = [("X-Access-Reason", "authorisation matrix")]
        if let secret = caller.secret {
            headers += Self.credentials(secret, caller.kind)
        }
        var query: [String] = []
        for parameter in described?.parameters ?? []
        where parameter.isRequired && parameter.place == .query {
            let sample = try contract.sample(parameter.schema)
            query.append("\(parameter.name)=\(Percent.encode(sample.string ?? sample.text))")
        }
        if operation.path.hasPrefix("/v1/tail/") { query.append("until=now") }
        if operation.path.hasSuffix("/import") { query.append("preview=true") }
        var body: [UInt8] = []
        if let described = described?.body {
            let sample = (Self.bodies[name] ?? ExtremeBody.samples[name]).map { text in
                Array(
                    subject.ids.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }.utf8)
            }
            body = sample ?? described.sample.serialized()
            headers.append(("Content-Type", described.contentType))
        }
        if operation.path.hasSuffix("/photos") {
            body = ExtremeWorld.pictureBytes
        }
        let target = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        func once() throws -> PlainHTTP.Answer {
            requests += 1
            return try link.send(
                operation.method.rawValue, target, headers: headers, body: body)
        }
        var answer = try once()
        // A replica that may be behind, or a replay whose last client has just gone.
        for _ in 0..<20 where answer.status == 503 {
            usleep(100_000)
            answer = try once()
        }
        if name == "rotateOperatorToken", answer.status == 201 {
            operatorToken = try answer.json.member("credential").text("token")
        }
        return answer
    }

    private static func credentials(_ secret: String, _ kind: CallerKind) -> [(String, String)] {
        kind == .session
            ? [("Cookie", secret), ("Sec-Fetch-Site", "same-origin")]
            : [("Authorization", "Bearer \(secret)")]
    }
}

extension ServiceName {
    fileprivate var portOffset: Int {
        switch self {
        case .ingest: 1
        case .membership: 2
        case .evaluator: 3
        case .timer: 4
        case .notifier: 5
        }
    }
}
