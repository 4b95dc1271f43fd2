import Model

/// What the daemon does once the core has decided.
public enum Effect: Hashable, Sendable {
    /// Write or delete the row that this event of the directory is about, and publish the event.
    case record(EventBody)
    /// Write or delete rows of codes, or have one sent.
    case code(CodeChange)
    /// Answer a request.
    case answer(RequestID, Answer)
}

/// What became of a command.
public enum Answer: Hashable, Sendable {
    case person(Person)
    case device(Device)
    /// A new device with the credential it speaks by.
    case newDevice(Device, Credential)
    case credential(Credential)
    case circle(Circle)
    case zone(Zone)
    case zones([Zone])
    case set(ZoneSet)
    case message(ZoneMessage)
    /// They are on their way.
    case mailed
    /// Done, and nothing is left to show.
    case gone
    case refused(Refusal)
}
