import Model

/// Effects of ``MembershipCore``, in the order in which the daemon performs them.
public enum Effect: Hashable, Sendable {
    /// Writes or deletes the row of a directory event, and publishes the event.
    case record(EventBody)
    /// Writes or deletes rows of codes, or sends one.
    case code(CodeChange)
    /// Answers a request.
    case answer(RequestID, Answer)
}

/// The result of a command.
public enum Answer: Hashable, Sendable {
    case person(Person)
    case device(Device)
    /// A new device and its credential.
    case newDevice(Device, Credential)
    case credential(Credential)
    case circle(Circle)
    case zone(Zone)
    case zones([Zone])
    case set(ZoneSet)
    case message(ZoneMessage)
    /// The zones were queued for mailing.
    case mailed
    /// The entity was removed.
    case gone
    case rejected(CommandRejection)
}
