import Directory
import DirectoryViews
import Hosting
import Model
import NotifierCore
import Parsing
import TestSupport
import Testing
import Web
import Wire

@testable import NotifierDaemon

/// An event of a live stream.
struct ReceivedEvent: Equatable {
    var name = ""
    var id: String?
    var data = ""

    /// Parses a response; comments are skipped.
    static func all(in text: String) -> [ReceivedEvent] {
        text.components(separatedBy: "\n\n").compactMap { block in
            var event = ReceivedEvent()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
            }
            return event.data.isEmpty ? nil : event
        }
    }
}

/// What a person sees, as `GET /v1/me` shows it.
struct OwnView: Equatable {
    var person: JSON = .null
    var circles: [String: JSON] = [:]

    init() {}

    init(of id: PersonID, in directory: Replica) {
        guard let person = directory.person(id) else { return }
        self.person = View.person(person, directory.credentials(of: id))
        for circle in directory.circles(of: id) + directory.invitations(of: id) {
            circles[circle.description] = OwnView.circle(circle, for: id, in: directory)
        }
    }

    static func circle(
        _ id: CircleID, for person: PersonID, in directory: Replica
    ) -> JSON? {
        guard let circle = directory.circle(id), let audience = circle.audience(of: person)
        else { return nil }
        return View.circle(circle, to: audience, in: directory)
    }
}

/// An app that keeps what its person sees by snapshots and a live stream.
final class LiveClient {
    let person: PersonID
    private let host: TestHost
    private let token: String
    private(set) var view = OwnView()
    private(set) var lastID: String?
    private(set) var resets = 0
    private(set) var hasEnded = false
    /// Version of the circle list, as of the last event.
    private(set) var listVersion: Int64 = 0
    /// The request, while the client is connected.
    private(set) var request: UInt64?
    private var read = 0
    private var lastPoint: LivePoint?

    init(_ host: TestHost, _ number: UInt64) {
        self.host = host
        person = NotifierDaemonTests.person(number)
        token = "person-\(number)"
    }

    /// Reads the snapshot, as of the last record of the directory.
    func readSnapshot() throws {
        view = OwnView(of: person, in: host.replica)
        lastID = try host.position()
        lastPoint = nil
    }

    func connect(isFresh: Bool = false) throws {
        let headers = lastID.map { [("Last-Event-ID", $0)] } ?? []
        request = try host.send(
            .get, "/v1/live", as: token, query: isFresh ? "from=\(lastID ?? "")" : "",
            headers: isFresh ? [] : headers)
        read = 0
    }

    /// Loses the connection; nothing more is read.
    func disconnect() {
        if let request { host.closed.insert(request) }
        request = nil
    }

    /// Reads received events, at most as many as given, and checks each.
    func receive(_ count: Int = .max) throws {
        guard let request else { return }
        let events = ReceivedEvent.all(in: host.text(of: request)).dropFirst(read)
        for event in events.prefix(count) {
            read += 1
            try handle(event)
        }
    }

    private func handle(_ event: ReceivedEvent) throws {
        let data = try JSON.parse(Array(event.data.utf8))
        switch event.name {
        case "reset":
            resets += 1
            try readSnapshot()
            lastID = event.id
            return
        case "end":
            hasEnded = true
            return
        case "person":
            let shown = try #require(data["person"])
            #expect(shown["id"] == .string(person.description))
            view.person = shown
        case "circle":
            let shown = try #require(data["circle"])
            view.circles[try #require(shown["id"]?.string)] = shown
        case "circle-gone": view.circles[try #require(data["id"]?.string)] = nil
        case "credential-gone", "consents": break
        default: Issue.record("an unknown kind: \(event.name)")
        }
        if let version = data["circleListVersion"]?.int {
            #expect(Int64(version) >= listVersion)
            listVersion = Int64(version)
        }
        let id = try #require(event.id)
        lastID = id
        let position = try #require(LivePosition(id, key: try host.messageKey.read()))
        let point = LivePoint(
            sequence: try #require(position.cursor.marks[.directory]?.sequence),
            item: LiveItem(position.item))
        if let lastPoint { #expect(lastPoint < point, "an event is repeated") }
        lastPoint = point
    }
}

extension TestHost {
    /// Applies changes of the directory in one turn, as the process does.
    func change(_ bodies: EventBody..., at time: Timestamp? = nil) throws {
        try turn { try self.apply(bodies, at: time ?? self.now, to: $0) }
    }

    /// Applies changes in the open turn.
    func apply(_ bodies: [EventBody], at time: Timestamp, to service: NotifierService) throws {
        for body in bodies {
            var copy = replica
            var steps = copy.apply(body)
            // It changes nothing that a replica contains.
            if case .consentsChanged = body { steps = [body] }
            for step in steps {
                let sequence = (directoryPosition?.sequence ?? 100) + 1
                let position = chainPosition(sequence)
                let event = Event(
                    id: EventID(ID128(high: 80, low: sequence)), time: time, body: step)
                try service.directoryWillChange(event)
                replica.apply(step)
                directoryPosition = position
                try service.apply(event, from: .directory, at: position)
            }
        }
    }

    /// A position of the directory's chain.
    func chainPosition(_ sequence: UInt64) -> Position {
        Position(
            incarnation: ID128(high: 1, low: 1), sequence: sequence,
            hash: sequence &* 0x9E37_79B9_7F4A_7C15 ^ chainSalt)
    }

    /// The last position of the directory, as membership answers it in a snapshot.
    func position() throws -> String {
        var cursor = StreamCursor()
        if let directoryPosition { cursor.read(.directory, to: directoryPosition) }
        return LivePosition(cursor: cursor).sealed(with: try messageKey.read())
    }

    /// The sent part of a streamed response.
    func text(of request: UInt64) -> String {
        (steps[request] ?? []).map { step in
            switch step {
            case .begin(let response): String(decoding: response.body, as: UTF8.self)
            case .piece(let bytes): String(decoding: bytes, as: UTF8.self)
            case .end, .cut: ""
            }
        }.joined()
    }

    func events(of request: UInt64) -> [ReceivedEvent] {
        ReceivedEvent.all(in: text(of: request))
    }

    func isEnded(_ request: UInt64) -> Bool { steps[request]?.last == .end }
    func isCut(_ request: UInt64) -> Bool { steps[request]?.last == .cut }
}
