import Directory
import Model

/// Messages requested by membership for people who may be unknown to Jaga, sent at most once.
struct RequestedMessages: Sendable {
    func enqueue(
        _ request: RequestedMessage, by event: EventID, expires: Timestamp,
        _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if let reason = suppressed(request, expires: expires, &delivery, &turn) {
            return turn.emit(.warn(.requestSuppressed(reason)))
        }
        let rendered = render(request, delivery.renderer, turn)
        delivery.enqueue(
            rendered, to: request.address, on: request.channel,
            as: request.file == nil ? .invitation : .zoneFile, scope: event, file: request.file,
            expires: expires, &turn)
    }

    /// Why a request is not sent; nil = it is. After STOP a number gets no code either, and a code
    /// counts as one of its daily texts.
    private func suppressed(
        _ request: RequestedMessage, expires: Timestamp, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) -> NotifyReason? {
        if expires <= turn.now { return .tooOld }
        if !delivery.configuration.channels.contains(request.channel) { return .unreachable }
        if !delivery.hasRoom { return .queueFull }
        guard request.channel.rules.acceptsReplies else { return nil }
        var state = delivery.contacts[request.address]
        state.prune(before: turn.now - Limits.numberWindow)
        if state.stopped != nil { return .stopped }
        if state.sent.count >= Limits.textsPerNumberMax { return .tooMany }
        state.sent.append(turn.now)
        delivery.contacts.saveUsage(state, &turn)
        return nil
    }

    private func render(
        _ request: RequestedMessage, _ renderer: MessageRenderer, _ turn: Turn
    ) -> RenderedMessage {
        let language = Language(locale: request.locale)
        // A code goes to strangers, so its text is Jaga's and not the sender's.
        let sender =
            request.file == nil
            ? GivenName(in: request.sender)?.text ?? language.phrases.somebody : request.sender
        return renderer.render(
            request.file.map { .zoneFile(name: $0.name) } ?? .invitation(code: request.code ?? ""),
            Reader(language: language, who: sender, now: turn.now, map: renderer.map))
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
