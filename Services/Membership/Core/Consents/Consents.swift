import Model

/// Requests for consent. One that was agreed to stays as long as it has an effect, so that the
/// person can withdraw it.
public struct Consents: Sendable {
    private var rows: [ConsentID: Consent] = [:]
    private var ofPerson: [PersonID: Set<ConsentID>] = [:]
    private var ofCircle: [CircleID: Set<ConsentID>] = [:]
    /// When each person got messages about requests, also about those that are gone: who asks,
    /// withdraws and asks again must not send a message each time.
    private var notified: [PersonID: [Timestamp]] = [:]

    public init(_ rows: [Consent] = []) {
        for row in rows.sorted(by: { $0.asked < $1.asked }) { apply(.save(row)) }
    }

    /// Whether a person gets a message about another request: a few a day.
    func mayTell(_ person: PersonID, at now: Timestamp) -> Bool {
        let times = notified[person] ?? []
        return times.count { now - $0 < Limits.codeWindow } < Limits.consentMessagesPerDayMax
            && !times.contains { now - $0 < Limits.consentMessagePause }
    }

    public subscript(id: ConsentID) -> Consent? { rows[id] }

    /// The requests to a person, ids ascending.
    public func consents(of person: PersonID) -> [Consent] {
        (ofPerson[person] ?? []).sorted().compactMap { rows[$0] }
    }

    /// The requests in a circle, ids ascending.
    func consents(in circle: CircleID) -> [Consent] {
        (ofCircle[circle] ?? []).sorted().compactMap { rows[$0] }
    }

    mutating func apply(_ change: ConsentChange) {
        switch change {
        case .save(let row):
            if rows[row.id]?.asked != row.asked, mayTell(row.person, at: row.asked) {
                notified[row.person, default: []].append(row.asked)
            }
            rows[row.id] = row
            ofPerson[row.person, default: []].insert(row.id)
            if let circle = row.circle { ofCircle[circle, default: []].insert(row.id) }
        case .remove(let id):
            guard let row = rows.removeValue(forKey: id) else { return }
            ofPerson[row.person]?.remove(id)
            if ofPerson[row.person]?.isEmpty == true { ofPerson[row.person] = nil }
            guard let circle = row.circle else { return }
            ofCircle[circle]?.remove(id)
            if ofCircle[circle]?.isEmpty == true { ofCircle[circle] = nil }
        }
    }

    /// The changes that follow from a step of the directory: a request ends with the membership,
    /// role or ward that it is about.
    func changes(after step: EventBody) -> [ConsentChange] {
        let ended: [Consent] =
            switch step {
            case .circleRemoved(let removal): consents(in: removal.circle)
            case .circleChanged(let circle):
                consents(in: circle.id).filter { !$0.matters(in: circle) }
            case .personChanged(let person):
                consents(of: person.id).filter { $0.circle == nil && person.guardians.isEmpty }
            case .personRemoved(let removal):
                rows.values.filter {
                    $0.person == removal.person || $0.question.subject == removal.person
                        || $0.asker == .person(removal.person) && $0.reply == nil
                }.sorted { $0.id < $1.id }
            default: []
            }
        return ended.map { .remove($0.id) }
    }

    /// Removes what the daemon deletes, too: requests that are over, a while after they were made.
    /// O(n): every few minutes.
    ///
    /// - Returns: the removed ones
    mutating func removeOld(at now: Timestamp) -> [ConsentChange] {
        let end = now - Limits.consentAgeMax
        let old = rows.values.filter { $0.expires <= end && $0.state(at: now) != .agreed }
        let changes = old.map { ConsentChange.remove($0.id) }
        for change in changes { apply(change) }
        notified = notified.compactMapValues { times in
            let recent = times.filter { now - $0 < Limits.codeWindow }
            return recent.isEmpty ? nil : recent
        }
        return changes
    }
}

extension Consent {
    /// Whether the request is about people who are still members, and a role that sees more.
    fileprivate func matters(in circle: Circle) -> Bool {
        guard circle.member(person) != nil else { return false }
        guard case .role(let viewer, _) = question else { return true }
        return circle.member(viewer).map { $0.role != .member } ?? false
    }
}
