import Directory
import Model

/// Messages requested by membership for people who may be unknown to Jaga, sent at most once.
struct RequestedMessages: Sendable {
    func enqueue(
        _ request: RequestedMessage, by event: EventID, expires: Timestamp,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let notice = RequestedNotice(request) else { return }
        if let reason = suppressed(request, notice, expires: expires, &delivery, &turn) {
            return turn.emit(.warn(.requestSuppressed(reason)))
        }
        let rendered = delivery.renderer.render(
            notice.content,
            Reader(
                language: Language(locale: request.locale), who: notice.sender, now: turn.now,
                map: delivery.renderer.map))
        delivery.enqueue(
            rendered, to: request.address, on: request.channel, as: notice.reason,
            severity: notice.severity, scope: event, file: notice.file, expires: expires, &turn)
    }

    /// Why a request is not sent; nil = it is. After STOP a number gets no code of somebody else
    /// either, and such a code counts as one of its daily texts.
    private func suppressed(
        _ request: RequestedMessage, _ notice: RequestedNotice, expires: Timestamp,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) -> NotifyReason? {
        if expires <= turn.now { return .tooOld }
        if !delivery.configuration.channels.contains(request.channel) { return .unreachable }
        let hasRoom =
            notice.severity == .account ? delivery.hasRoomForAccounts : delivery.hasRoom
        if !hasRoom { return .queueFull }
        guard request.channel.rules.acceptsReplies else { return nil }
        var state = delivery.contacts[request.address]
        state.prune(before: turn.now - Limits.numberWindow)
        if state.stopped != nil, !notice.overridesOptOut { return .stopped }
        // Membership limits messages about accounts.
        guard notice.severity == .routine else { return nil }
        if state.sent.count >= Limits.textsPerNumberMax { return .tooMany }
        state.sent.append(turn.now)
        delivery.contacts.saveUsage(state, &turn)
        return nil
    }
}

/// How a requested message is sent.
private struct RequestedNotice {
    var reason: NotifyReason
    var severity = Severity.routine
    var content: NoticeContent
    /// As the text shows it.
    var sender: String
    var file: RequestedMessage.File?
    var overridesOptOut = false

    /// Nil if nothing is sent.
    init?(_ request: RequestedMessage) {
        sender = request.sender
        switch request.content {
        case .consentCode(let code):
            reason = .invitation
            content = .invitation(code: code)
            // It goes to strangers, so its text is Jaga's and not the sender's.
            sender =
                GivenName(in: request.sender)?.text
                ?? Language(locale: request.locale).phrases.somebody
        case .zones(let zones):
            reason = .zoneFile
            content = .zoneFile(name: zones.name)
            file = zones
        case .account(let message):
            reason = message.isCode ? .accountCode : .accountNotice
            severity = .account
            content = .account(message)
            overridesOptOut = message.overridesOptOut
        case .membership(let notice):
            let phrases = Language(locale: request.locale).phrases
            reason = notice.reason
            severity = .account
            content = notice.content(phrases)
            // It may go to a stranger, so its text is Jaga's and not the sender's.
            sender = GivenName(in: request.sender)?.text ?? phrases.somebody
        case .decoy: return nil
        }
    }
}

extension MembershipNotice {
    fileprivate var reason: NotifyReason {
        switch self {
        case .invitation: .invitation
        case .consent, .takeOver: .membership
        }
    }

    fileprivate func content(_ phrases: any Phrasebook) -> NoticeContent {
        switch self {
        case .invitation(let link): .circleInvitation(link: link)
        case .consent(let link): .consent(link: link)
        case .takeOver(let ward, let time):
            .takeOver(
                ward: GivenName(in: ward)?.text ?? phrases.somebody,
                date: String(time.description.prefix(10)))
        }
    }
}

/// First word of a name, by which a stranger may know the sender. Letters only, so it can contain
/// no sentence, link or number.
struct GivenName: Hashable {
    let text: String

    static let charactersMax = 16

    /// Nil if the first word is not usable.
    init?(in name: String) {
        guard let word = name.split(whereSeparator: \.isWhitespace).first,
            word.count <= GivenName.charactersMax,
            word.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.isDiacritic || $0 == "-" || $0 == "'"
            }), word.unicodeScalars.contains(where: \.properties.isAlphabetic)
        else { return nil }
        text = String(word)
    }
}
