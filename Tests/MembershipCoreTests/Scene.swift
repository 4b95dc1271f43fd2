import Directory
import MembershipCore
import Model

/// A core with readable ids and helpers for commands.
final class Scene {
    var core = MembershipCore()
    var now = Timestamp(seconds: 1_800_000_000)
    private(set) var published: [EventBody] = []
    /// Changes of codes by the last command.
    private(set) var codes: [CodeChange] = []
    /// Changes of sessions by the last command.
    private(set) var sessions: [SessionChange] = []
    /// Messages about accounts by the last input.
    private(set) var notices: [AccountNotice] = []
    /// Changes of sign-in codes by the last input.
    private(set) var signIn: [SignInChange] = []
    private(set) var request: RequestID = 0
    /// Messages about memberships by the last input, or since time passed.
    private(set) var notified: [PersonNotice] = []

    /// Handles a command and returns its answer.
    @discardableResult
    func ask(_ principal: Principal, ifVersion: Int64? = nil, _ change: Change) -> Answer {
        request += 1
        let command = Command(
            request: request, principal: principal, ifVersion: ifVersion, change: change)
        return handle(.command(command))
    }

    /// Handles an input that is answered.
    @discardableResult
    func handle(_ input: Input) -> Answer {
        let answers = perform(input)
        guard answers.count == 1 else { fatalError("a request is answered once") }
        return answers[0]
    }

    @discardableResult
    func perform(_ input: Input) -> [Answer] {
        var effects: [Effect] = []
        core.handle(input, at: now, into: &effects)
        var answers: [Answer] = []
        published = []
        codes = []
        sessions = []
        notices = []
        signIn = []
        notified = []
        for effect in effects {
            switch effect {
            case .record(let body): published.append(body)
            case .circleList: break
            case .code(let change): codes.append(change)
            case .session(let change): sessions.append(change)
            case .activation: break
            case .signIn(let change): signIn.append(change)
            case .notice(let notice): notices.append(notice)
            case .textLimitReached, .reminded: break
            case .invitation, .consent, .ward: break
            case .personNotice(let notice): notified.append(notice)
            case .answer(_, let answer): answers.append(answer)
            }
        }
        return answers
    }

    /// Handles what becomes due.
    func pass() {
        perform(.wards)
        let notified = notified
        perform(.removeOld)
        self.notified = notified
    }

    /// Replaces the contact points of a person, with their proofs.
    func setContacts(of number: Int, _ contacts: [ContactPoint]) {
        var events = DirectorySnapshot(of: core.directory).events
        for index in events.indices {
            guard case .personChanged(var known) = events[index], known.id == person(number)
            else { continue }
            known.contacts = contacts
            events[index] = .personChanged(known)
        }
        var directory = Replica()
        for event in events { directory.apply(event) }
        core = MembershipCore(
            directory: directory, codes: core.codes, invitations: core.invitations,
            consents: core.consents)
    }

    /// Anna (1), Ben (2) and Citra (3); with `circle`, a family of which Anna is the admin, Ben a
    /// guardian and Citra a member.
    init(circle withCircle: Bool = false) {
        for (number, name) in [(1, "Anna"), (2, "Ben"), (3, "Citra")] {
            var patch = PersonPatch()
            patch.name = name
            ask(.operator, .createPerson(person(number), patch))
        }
        guard withCircle else { return }
        var patch = CirclePatch()
        patch.name = "Family"
        ask(.operator, .createCircle(circle(1), patch))
        for (number, role) in [(1, Role.admin), (2, .guardian), (3, .member)] {
            ask(.operator, .addMember(circle(1), person(number), member(role)))
        }
    }

    var family: Circle? { core.directory.circle(circle(1)) }
}

func person(_ number: Int) -> PersonID { PersonID(ID128(high: 1, low: UInt64(number))) }
func device(_ number: Int) -> DeviceID { DeviceID(ID128(high: 2, low: UInt64(number))) }
func circle(_ number: Int) -> CircleID { CircleID(ID128(high: 4, low: UInt64(number))) }
func zone(_ number: Int) -> ZoneID { ZoneID(ID128(high: 5, low: UInt64(number))) }
func credential(_ number: Int) -> NewCredential {
    NewCredential(id: CredentialID(ID128(high: 3, low: UInt64(number))), hash: "h\(number)")
}
func invitation(_ number: Int) -> InvitationID {
    InvitationID(ID128(high: 7, low: UInt64(number)))
}
func contactID(_ number: Int) -> ContactID { ContactID(ID128(high: 6, low: UInt64(number))) }
func contact(
    _ number: Int, _ address: String, _ channel: Channel = .sms, vouched: Bool = false
) -> ContactPoint {
    ContactPoint(id: contactID(number), channel: channel, address: address, vouched: vouched)
}

let anna = Principal.person(person(1))
let ben = Principal.person(person(2))
let citra = Principal.person(person(3))

func personPatch(_ change: (inout PersonPatch) -> Void) -> PersonPatch {
    var patch = PersonPatch()
    change(&patch)
    return patch
}

func deviceNamed(_ name: String) -> DevicePatch {
    var patch = DevicePatch()
    patch.name = name
    return patch
}

func circlePatch(_ change: (inout CirclePatch) -> Void) -> CirclePatch {
    var patch = CirclePatch()
    change(&patch)
    return patch
}

func member(
    _ role: Role? = nil, sharing: Sharing? = nil
) -> MemberPatch {
    var patch = MemberPatch()
    patch.role = role
    patch.sharing = sharing
    return patch
}

func zonePatch(
    _ name: String, vertices: Int = 0, _ change: (inout ZonePatch) -> Void = { _ in }
) -> ZonePatch {
    let center = Coordinate(latitudeE7: 30_000_000, longitudeE7: 1_010_000_000)
    let ring = (0..<vertices).map { VertexOffset(longitudeE7: Int32($0), latitudeE7: 0) }
    var patch = ZonePatch()
    patch.name = name
    patch.drawing = ZonePatch.Drawing(
        shape: .circle(center: center, radiusCentimetres: 10_000),
        prepared: PreparedGeometry(
            origin: center, coefficients: [], radiusCentimetres: 10_000,
            polygons: vertices == 0 ? [] : [[ring]], inradiusCentimetres: 10_000,
            reachCentimetres: 10_000))
    change(&patch)
    return patch
}

extension Answer {
    var rejection: CommandRejection? {
        if case .rejected(let rejection) = self { rejection } else { nil }
    }
    var denial: Denial? {
        if case .denied(let denial)? = rejection?.reason { denial } else { nil }
    }
    var person: Person? {
        switch self {
        case .person(let person), .unreachablePerson(let person, _): person
        default: nil
        }
    }
    /// The person and credential of a new session.
    var session: (person: Person, credential: Credential)? {
        if case .session(let person, let credential) = self { (person, credential) } else { nil }
    }
    var circle: Circle? { if case .circle(let circle) = self { circle } else { nil } }
    var invitation: Invitation? {
        if case .invitation(let invitation) = self { invitation } else { nil }
    }
    var consent: Consent? { if case .consent(let consent) = self { consent } else { nil } }
    var zone: Zone? { if case .zone(let zone) = self { zone } else { nil } }
    var device: Device? {
        switch self {
        case .device(let device), .newDevice(let device, _): device
        default: nil
        }
    }
}
