import Model

/// Effects of ``MembershipCore``, in the order in which the daemon performs them.
public enum Effect: Hashable, Sendable {
    /// Writes or deletes the row of a directory event, and publishes the event.
    case record(EventBody)
    /// Writes or deletes a row about circle lists.
    case circleList(CircleListRow)
    /// Writes or deletes rows of codes, or sends one.
    case code(CodeChange)
    /// Writes or deletes the row of a session.
    case session(SessionChange)
    /// Writes or deletes the row of an activation code.
    case activation(ActivationChange)
    /// Writes or deletes rows of sign-in codes.
    case signIn(SignInChange)
    /// Sends a message to a person about their account.
    case notice(AccountNotice)
    /// A person was asked to verify their contact points, or needs not to be.
    case reminded(PersonID)
    /// Codes were not sent because of the limit of SMS.
    case textLimitReached
    /// Writes or deletes the row of an invitation.
    case invitation(InvitationChange)
    /// Writes or deletes the row of a request for consent.
    case consent(ConsentChange)
    /// Writes or deletes the row of a notice to a ward.
    case ward(WardChange)
    /// Tells a person about a membership, or about being a ward.
    case personNotice(PersonNotice)
    /// Answers a request.
    case answer(RequestID, Answer)
}

/// The result of a command.
public enum Answer: Hashable, Sendable {
    case person(Person)
    /// The edited person, whose contact points an edit took away.
    case unreachablePerson(Person, ContactWarning)
    /// A code was sent to a contact point.
    case codeSent(expires: Timestamp)
    /// A test message was queued.
    case testSent
    /// The same for every contact.
    case signInCodeRequested
    /// The code is wrong, expired or used, or there is none.
    case signInFailed
    /// The code is right, and several people have the contact.
    case choosePerson([Person])
    /// The code is right, and a new account needs a name.
    case nameNeeded
    /// A new session.
    case session(Person, Credential)
    case device(Device)
    /// A new device and its credential.
    case newDevice(Device, Credential)
    case credential(Credential)
    case circle(Circle)
    case zone(Zone)
    case zones([Zone])
    case set(ZoneSet)
    case message(ZoneMessage)
    /// For its person only.
    case neverNotify(NeverNotifyList)
    /// For its person only: whether they are asked for a PIN.
    case pin(isSet: Bool)
    case invitation(Invitation)
    case consent(Consent)
    /// The request for consent is open.
    case requested(Consent)
    /// The zones were queued for mailing.
    case mailed
    /// The entity was removed.
    case gone
    /// The person was erased.
    case erased(PersonID)
    case rejected(CommandRejection)
}
