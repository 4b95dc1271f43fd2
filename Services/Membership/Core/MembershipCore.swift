import Directory
import Model

/// Decides every change to people, devices, credentials, circles, zones, sets and messages.
///
/// The state is the directory, rebuilt from rows at start; every other service keeps a replica of
/// it. A command either changes the directory and returns the result, or is rejected with a reason
/// and changes nothing.
public struct MembershipCore: Sendable {
    private var state: MembershipState
    private var commands = CommandRouter()
    private var signIn: SignInCodes
    public private(set) var reminders: ContactReminders

    public init(
        directory: Replica = Replica(), codes: Codes = Codes(), sessions: Sessions = Sessions(),
        activations: Activations = Activations(), circleLists: CircleLists = CircleLists(),
        signIn: SignInCodes = SignInCodes(), reminders: ContactReminders = ContactReminders(),
        invitations: Invitations = Invitations(), consents: Consents = Consents(),
        wardNotices: [WardNotice] = []
    ) {
        state = MembershipState(
            directory: directory, codes: codes, sessions: sessions, activations: activations,
            circleLists: circleLists, invitations: invitations, consents: consents,
            wardNotices: wardNotices)
        self.signIn = signIn
        self.reminders = reminders
    }

    public var directory: Replica { state.directory }
    /// Pending confirmation codes of numbers and contact points.
    public var codes: Codes { state.codes }
    public var sessions: Sessions { state.sessions }
    /// Versions of people's circle lists.
    public var circleLists: CircleLists { state.circleLists }
    public var invitations: Invitations { state.invitations }
    public var consents: Consents { state.consents }
    public var wards: Wards { state.wards }

    /// When the next trial ends; nil if there is none.
    public var nextTrialEnd: Timestamp? { state.trials.next }

    /// Handles one input and appends its effects.
    ///
    /// - Parameter now: later than that of every input before, so that versions of circle lists
    ///   grow
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        switch input {
        case .command(let command):
            state.codes.removeExpired(at: now)
            switch commands.decide(state.context(of: command, at: now)) {
            case .done(let events, let answer, let changes, let notices, let more):
                state.record(events, at: now, into: &effects)
                state.apply(more, into: &effects)
                for change in changes { state.apply(change, into: &effects) }
                effects += notices.map { .notice($0) }
                effects.append(.answer(command.request, answer))
            case .rejected(let rejection):
                effects.append(.answer(command.request, .rejected(rejection)))
            }
        case .signInCode(let request):
            signIn.removeExpired(at: now)
            let decision = signIn.request(request, accounts, at: now)
            apply(decision, at: now, into: &effects)
            if case .answer(let answer) = decision.outcome {
                effects.append(.answer(request.request, answer))
            }
        case .enterSignInCode(let request):
            signIn.removeExpired(at: now)
            let decision = signIn.enter(request, accounts, at: now)
            apply(decision, at: now, into: &effects)
            switch decision.outcome {
            case .answer(let answer): effects.append(.answer(request.request, answer))
            case .opens(let person):
                let session = state.open(
                    request.session, of: person, name: request.browser, at: now, into: &effects)
                effects.append(.answer(request.request, .session(person, session)))
            }
        case .remind(let hour):
            let (notices, done) = reminders.next(in: state.directory, hour: hour, at: now)
            effects += notices.map { .notice($0) } + done.map { .reminded($0) }
        case .operatorToken(let credential):
            state.record(
                AdminTokens.soleToken(credential, in: state.directory, at: now), at: now,
                into: &effects)
        case .eraseAgain(let person):
            state.record(People.erasure(of: person, state), at: now, into: &effects)
        case .trials:
            state.record(
                state.trials.expired(in: state.directory, at: now), at: now, into: &effects)
        case .billing(let notice):
            let events = try? MembershipCore.changes(by: notice, in: state.directory, at: now)
            state.record(events ?? [], at: now, into: &effects)
        case .zoneClocks(let clocks):
            state.record(
                ZoneClockChanges.events(clocks, in: state.directory), at: now, into: &effects)
        case .openSession(let id, let new, let name):
            guard let person = state.directory.person(id) else { return }
            _ = state.open(new, of: person, name: name, at: now, into: &effects)
        case .rotateSession(let credential, let new):
            guard
                let rotation = state.sessions.rotation(
                    of: credential, to: new, in: state.directory, at: now)
            else { return }
            state.record(rotation.events, at: now, into: &effects)
            state.apply(rotation.change, into: &effects)
        case .issueActivation(let person, let hash):
            state.apply(
                .save(
                    Activation(person: person, hash: hash, expires: now + Limits.activationAgeMax)),
                into: &effects)
        case .decided(let events): state.record(events, at: now, into: &effects)
        case .removeExpired:
            let expired = state.directory.expiredCredentials(at: now)
            state.record(
                expired.map { .credentialRemoved(CredentialRemoval(credential: $0)) },
                at: now, into: &effects)
            for change in state.activations.expired(at: now) { state.apply(change, into: &effects) }
        case .wards:
            while let due = state.wards.popDue(at: now, in: state.directory) {
                switch due {
                case .takeOver(let person):
                    let ended = Wards.endedCredentials(of: person, in: state.directory)
                    state.record([.personChanged(person)] + ended, at: now, into: &effects)
                case .notice(let notice, let messages):
                    state.apply(.notified(notice), into: &effects)
                    effects += messages.map { .personNotice($0) }
                }
            }
        case .removeOld:
            state.invitations.removeOld(at: now)
            effects += state.consents.removeOld(at: now).map { .consent($0) }
        case .declineInvitation(let request, let tokenHash):
            switch state.invitations.decline(tokenHash, in: state.directory, at: now) {
            case .success(let change):
                state.apply(Consequences(invitations: change.map { [$0] } ?? []), into: &effects)
                effects.append(.answer(request, .gone))
            case .failure(let rejection):
                effects.append(.answer(request, .rejected(rejection)))
            }
        }
    }

    /// Returns the result that a command would have now, without applying it.
    public func answer(to command: Command, at now: Timestamp) -> Answer {
        var trial = commands
        return switch trial.decide(state.context(of: command, at: now)) {
        case .done(_, let answer, _, _, _): answer
        case .rejected(let rejection): .rejected(rejection)
        }
    }

    private var accounts: SignInAccounts {
        SignInAccounts(directory: state.directory, contacts: state.contacts)
    }

    private mutating func apply(
        _ decision: SignInDecision, at now: Timestamp, into effects: inout [Effect]
    ) {
        state.record(decision.events, at: now, into: &effects)
        effects += decision.changes.map { .signIn($0) }
        effects += decision.notices.map { .notice($0) }
        if decision.isTextLimitReached { effects.append(.textLimitReached) }
    }
}
