import Directory
import Hashing
import Hosting
import MembershipCore
import Model
import Parsing
import Runtime
import Web

/// Passes inputs to ``MembershipCore`` and performs its effects.
final class CoreRunner {
    let host: Host
    let store: MembershipStore
    let publicURL: String?
    private(set) var core = MembershipCore()
    private(set) var erasures: Erasures
    /// Seals messages for the notifier, so that the store alone reveals no code.
    private(set) var messageKey: [UInt8] = []
    /// Called for each person who is removed.
    var personRemoved: (PersonID) throws -> Void = { _ in }
    private let messageKeyFile: KeyFile
    private let signInPolicy: SignInCodes.Policy
    /// Name of this site in messages.
    private let siteName: String

    init(_ host: Host) throws {
        self.host = host
        let home = host.configuration.text("JAGA_HOME")
        store = MembershipStore(host.database, rights: try RightsFile.read(host.configuration))
        publicURL = host.configuration.optional("JAGA_PUBLIC_URL")
        erasures = Erasures(home: home)
        messageKeyFile = .messages(secrets: home + "/secrets")
        signInPolicy = SignInCodes.Policy(host.configuration)
        siteName = host.configuration.text("JAGA_SITE_NAME")
    }

    // MARK: Turns

    /// Rebuilds the core from the store.
    func load() throws { core = try store.loadCore(signInPolicy, at: host.now) }

    func loadMessageKey() throws {
        messageKey = try messageKeyFile.loadOrCreate(isUsed: isStoreUsed)
    }

    func rollBack() throws {
        erasures.rollBack()
        try load()
    }

    /// Writes people who were erased to the list outside of the store.
    func writeErasures() { erasures.write(at: host.now, log: host.log) }

    /// Whether the directory ever had a record: false at the first start only.
    var isStoreUsed: Bool { host.bus.end(of: .directory) > 0 }

    /// The time of the next change: now, or a little later if there was one at the same time. The
    /// versions of circle lists are such times.
    private var changeTime: Timestamp {
        max(host.now, core.circleLists.newest + .microseconds(1))
    }

    // MARK: Inputs and effects

    /// What an input needs besides itself.
    struct Attachments {
        /// The code to send, if one is needed.
        var code: ShortCode?
        /// The zones to mail.
        var mail: ZoneMail?
        /// Link of the new invitation.
        var link: InvitationLink?
    }

    /// Passes one input to the core and performs its effects.
    ///
    /// - Parameters:
    ///   - notBefore: the earliest time of the decision
    ///   - respond: answers the request
    /// - Returns: the events of the directory
    @discardableResult
    func submit(
        _ input: Input, _ attached: Attachments = Attachments(), notBefore: Timestamp = .zero,
        trace: String = "",
        respond: (RequestID, Answer) throws -> Void = { _, _ in }
    ) throws -> [EventBody] {
        let time = max(changeTime, notBefore)
        var effects: [Effect] = []
        core.handle(input, at: time, into: &effects)
        let cause = SecureRandom.id()
        var events: [EventBody] = []
        for effect in effects {
            switch effect {
            case .record(let body):
                try record(body, cause: cause, trace: trace, at: time)
                events.append(body)
            case .circleList(let row): try store.record(row)
            case .code(let change):
                try store.record(change)
                if case .send(let order) = change, let code = attached.code {
                    try request(RequestedMessage(order, code), expires: order.expires, trace)
                } else if case .mail(let order) = change, let mail = attached.mail {
                    try request(RequestedMessage(order, mail), expires: order.expires, trace)
                }
            case .session(let change): try store.record(change)
            case .activation(let change): try store.record(change)
            case .signIn(let change): try store.record(change)
            case .notice(let notice):
                try request(
                    RequestedMessage(notice, attached.code, site: siteName),
                    expires: notice.expires, trace)
            case .reminded(let person): try store.recordReminded(person)
            case .textLimitReached:
                host.log.warning(
                    "sign-in codes by SMS suppressed",
                    ["limit": signInPolicy.textsPerHourMax, "hint": "JAGA_SIGN_IN_SMS_PER_HOUR"])
            case .invitation(let change): try store.record(change)
            case .consent(let change):
                if let asked = try store.record(change) { try consentsChanged(asked, trace) }
            case .ward(let change): try store.record(change)
            case .personNotice(let notice):
                guard let message = notice.message(link: attached.link, site: publicURL)
                else { continue }
                try request(message, expires: notice.expires, trace)
            case .answer(let request, let answer): try respond(request, answer)
            }
        }
        return events
    }

    /// Writes the row of a directory event, and publishes the event.
    private func record(
        _ body: EventBody, cause: ID128, trace: String = "", at time: Timestamp
    ) throws {
        try store.record(body)
        if case .personRemoved(let removal) = body {
            erasures.append(removal.person)
            try personRemoved(removal.person)
            // Deleted data must also leave the write-ahead log.
            host.database.truncateLogAfterCommit()
        }
        let id = Hash.derivedID(
            kind: body.kind, person: nil,
            subject: body.directoryEntity.map { HashPart.id($0) } ?? .none,
            cause: cause)
        try host.publish(
            Event(id: id, time: time, trace: trace, body: body), on: .directory)
    }

    /// Lets the streams of a person who is asked for consent know it.
    private func consentsChanged(_ asked: PersonID, _ trace: String) throws {
        guard core.directory.person(asked) != nil else { return }
        try host.publish(
            Event(
                id: EventID(SecureRandom.id()), time: host.now, trace: trace,
                body: .consentsChanged(ConsentsChange(person: asked))),
            on: .directory)
    }

    /// Requests the notifier to send a message once. The message is sealed: other readers of the
    /// stream cannot read it.
    private func request(
        _ message: RequestedMessage, expires: Timestamp, _ trace: String
    ) throws {
        let sealed = SealedText.seal(try JSON.encode(message).serialized(), key: messageKey)
        let body = EventBody.messageRequested(SealedMessage(expires: expires, sealed: sealed))
        try host.publish(
            Event(id: EventID(SecureRandom.id()), time: host.now, trace: trace, body: body),
            on: .directory)
    }

    /// Returns all records of the directory.
    func snapshot() -> [Event] {
        DirectorySnapshot(of: core.directory).events.map { body in
            let id = Hash.derivedID(
                kind: body.kind, person: nil,
                subject: body.directoryEntity.map { HashPart.id($0) } ?? .none, cause: .zero)
            return Event(id: id, time: host.now, body: body)
        }
    }
}
