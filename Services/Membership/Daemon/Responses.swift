import Hosting
import MembershipCore
import Model
import Runtime
import Web
import Wire

/// Answers requests after COMMIT, those with a new credential once ingest knows it.
final class Responses {
    private let host: Host
    private let idempotencyStore: IdempotencyStore
    private var awaited = AwaitedAnswers()
    private var cookies = SessionCookies()

    init(_ host: Host) {
        self.host = host
        idempotencyStore = IdempotencyStore(host.database)
    }

    // MARK: Turns

    func committed() { awaited.committed() }

    /// Forgets the answers of a rolled-back turn.
    func rollBack() { awaited.rolledBack(to: host.bus.end(of: .directory)) }

    /// Forgets the cookies of a rolled-back turn, except those of some requests.
    func rollBackCookies(keeping requests: Set<RequestID>) {
        cookies.rolledBack(keeping: requests)
    }

    /// Requests that wait for ingest.
    var requests: Set<RequestID> { awaited.requests }

    var count: Int { awaited.count }

    var nextDeadline: Timestamp? { awaited.deadline }

    /// Sends the responses that are due.
    func tick() throws {
        let acknowledged = host.bus.acknowledged(.directory, by: ServiceName.ingest.rawValue)
        for (awaited, isActive) in awaited.ready(at: host.now, acknowledged: acknowledged) {
            let response = awaited.response(isActive)
            if isActive, let key = awaited.key { try store(response, to: key) }
            host.answer(awaited.request, cookies.add(to: response, of: awaited.request))
        }
    }

    // MARK: Answers

    /// Answers a request. A response that sets a session's cookie waits until ingest knows the
    /// credential.
    func answer(_ id: RequestID, _ response: Response) {
        guard cookies.contains(id) else { return host.answer(id, response) }
        wait(id) { _ in response }
    }

    /// Renders the core's answer to a request.
    func respond(
        to request: RequestID, with answer: Answer, _ view: AnswerView,
        key: IdempotencyStore.Key? = nil
    ) {
        guard answer.showsCredential else {
            return self.answer(request, view.response(to: answer))
        }
        wait(request, key: key) { view.response(to: answer, isActive: $0) }
    }

    private func wait(
        _ request: RequestID, key: IdempotencyStore.Key? = nil,
        _ response: @escaping (_ isActive: Bool) -> Response
    ) {
        awaited.append(
            AwaitedAnswers.Awaited(
                request: request, sequence: host.bus.end(of: .directory),
                deadline: host.now + AwaitedAnswers.patience, response: response, key: key))
    }

    func setCookie(_ header: String, for request: RequestID) { cookies.set(header, for: request) }

    // MARK: Idempotency

    /// The stored response to a key; nil if there is none.
    func stored(_ key: IdempotencyStore.Key?) throws -> Response? {
        try key.flatMap { try idempotencyStore.response(to: $0, at: host.now) }
    }

    func store(_ response: Response, to key: IdempotencyStore.Key) throws {
        try idempotencyStore.store(response, to: key, at: host.now)
    }

    func prune() throws { try idempotencyStore.prune(at: host.now) }
}

extension Answer {
    /// Whether the result contains a token that will be used soon.
    fileprivate var showsCredential: Bool {
        switch self {
        case .newDevice, .credential, .session: true
        case .person, .unreachablePerson, .device, .circle, .zone, .zones, .set, .message,
            .neverNotify, .pin, .invitation, .consent, .requested, .mailed, .codeSent, .testSent,
            .signInCodeRequested, .signInFailed,
            .choosePerson, .nameNeeded, .gone, .erased, .rejected:
            false
        }
    }
}
