import Model

// Messages requested by membership for people who may be unknown to Jaga, sent at most once.
extension Notifier {
    mutating func enqueueRequested(
        _ request: RequestedMessage, by event: EventID, expires: Timestamp, _ turn: inout Turn
    ) {
        if let reason = suppressed(request, expires: expires, &turn) {
            return turn.effects.append(.warn(.requestSuppressed(reason)))
        }
        let id = DerivedID.notification(event, recipient: nil, address: request.address)
        guard notifications[id] == nil else { return }
        var message = Notification(
            id: id, reason: request.file == nil ? .invitation : .zoneFile, severity: .routine,
            scope: event, channel: request.channel, address: request.address,
            rendered: render(request, turn), reference: "",
            token: DerivedID.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: expires, trace: turn.trace)
        message.file = request.file
        enqueue(message, &turn)
    }

    /// Why a request is not sent; nil = it is. After STOP a number gets no code either, and a code
    /// counts as one of its daily texts.
    private mutating func suppressed(
        _ request: RequestedMessage, expires: Timestamp, _ turn: inout Turn
    ) -> NotifyReason? {
        if expires <= turn.now { return .tooOld }
        if !configuration.channels.contains(request.channel) { return .unreachable }
        if routineWaiting >= Limits.routineQueuedMax { return .queueFull }
        guard request.channel == .sms else { return nil }
        var state = numbers[request.address] ?? NumberState(number: request.address)
        state.prune(before: turn.now - Limits.numberWindow)
        if state.stopped != nil { return .stopped }
        if state.sent.count >= Limits.textsPerNumberMax { return .tooMany }
        state.sent.append(turn.now)
        numbers[request.address] = state
        turn.save(.number(state))
        return nil
    }

    private func render(_ request: RequestedMessage, _ turn: Turn) -> RenderedMessage {
        let language = Language(locale: request.locale)
        // A code goes to strangers, so its text is Jaga's and not the sender's.
        let sender =
            request.file == nil
            ? GivenName(in: request.sender)?.text ?? language.phrases.somebody : request.sender
        let reader = Reader(language: language, who: sender, now: turn.now, map: configuration.map)
        let composer = Composer(reader)
        let content: NoticeContent =
            request.file.map { .zoneFile(name: $0.name) } ?? .invitation(code: request.code ?? "")
        let mail = composer.render(content, on: .email)
        return RenderedMessage(
            short: composer.render(content, on: .sms).text, subject: mail.subject,
            long: mail.text)
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

extension Notification {
    /// Removes text and attachment of a confidential message that will not be sent again.
    mutating func eraseSecrets() {
        guard reason == .invitation || reason == .zoneFile, !isPending else { return }
        rendered = RenderedMessage(short: "", subject: "", long: "")
        file = nil
    }
}
