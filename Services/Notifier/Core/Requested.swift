import Model

// What membership asks to have sent to somebody who need not be known to Jaga: once, or not at all.
extension Notifier {
    mutating func requested(
        _ request: RequestedMessage, by event: EventID, expires: Timestamp, _ turn: inout Turn
    ) {
        if let reason = withheld(request, expires: expires, &turn) {
            return turn.effects.append(.warn(.requestWithheld(reason)))
        }
        let id = Meaning.notification(event, recipient: nil, address: request.address)
        guard notifications[id] == nil else { return }
        var message = Notification(
            id: id, reason: request.file == nil ? .invitation : .zoneFile, severity: .news,
            scope: event, channel: request.channel, address: request.address,
            words: words(of: request, turn), reference: "",
            token: Meaning.token(id, secret: configuration.tokenSecret), created: turn.now,
            expires: expires, trace: turn.trace)
        message.file = request.file
        queue(message, &turn)
    }

    /// Why it is not sent; nil when it is. A number that said STOP gets no code either, and a code
    /// is one of the texts that it gets a day.
    private mutating func withheld(
        _ request: RequestedMessage, expires: Timestamp, _ turn: inout Turn
    ) -> NotifyReason? {
        if expires <= turn.now { return .tooOld }
        if !configuration.channels.contains(request.channel) { return .unreachable }
        if newsWaiting >= Limits.newsQueuedMax { return .queueFull }
        guard request.channel == .sms else { return nil }
        var state = numbers[request.address] ?? NumberState(number: request.address)
        state.forget(before: turn.now - Limits.numberWindow)
        if state.stopped != nil { return .stopped }
        if state.sent.count >= Limits.textsPerNumberMax { return .tooMany }
        state.sent.append(turn.now)
        numbers[request.address] = state
        turn.save(.number(state))
        return nil
    }

    private func words(of request: RequestedMessage, _ turn: Turn) -> Words {
        let language = Language(locale: request.locale)
        // A code goes to people who never heard of Jaga: what stands in it is Jaga's, not the
        // sender's.
        let sender =
            request.file == nil
            ? GivenName(in: request.sender)?.text ?? language.phrases.somebody : request.sender
        let reader = Reader(language: language, who: sender, now: turn.now, map: configuration.map)
        let composer = Composer(reader)
        let saying: Saying =
            request.file.map { .zoneFile(name: $0.name) } ?? .invitation(code: request.code ?? "")
        let mail = composer.words(for: saying, on: .email)
        return Words(
            short: composer.words(for: saying, on: .sms).text, subject: mail.subject,
            long: mail.text)
    }
}

/// The one word of a name by which a stranger may know who asks them: letters alone. No sentence,
/// no link and no number can be in it.
struct GivenName: Hashable {
    let text: String

    static let charactersMax = 16

    /// Nil where the first word of the name is none.
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
    /// Nothing is left of what only its receiver should have, once nothing more will be sent.
    mutating func forgetSecrets() {
        guard reason == .invitation || reason == .zoneFile, !isPending else { return }
        words = Words(short: "", subject: "", long: "")
        file = nil
    }
}
