import Directory
import Hashing
import Model

/// Publishes the newest positions of people in an open emergency, or with an open live link, on
/// `sos`.
///
/// A person is followed from the opening to the end. At the opening of an emergency the trail is
/// published, for a live link only the newest position; then changes at most every
/// ``Limits/followedPositionSeconds``: a change within that time is published when it is over. Whom
/// to follow is stored; what was last published is not, so a restart publishes once more at most.
public struct FollowedPositions: Sendable {
    private struct Followed: Sendable {
        /// Nil = for live links only.
        var emergency: EmergencyID?
        /// The last one; nil = none yet.
        var published: FollowedPosition?
        var publishedAt = Timestamp.zero
    }

    private var followed: [PersonID: Followed]
    /// When the last open live link of a person ends.
    private var liveViews: [PersonID: Timestamp]
    /// When the change of a person may be published.
    private var waiting: [PersonID: Timestamp] = [:]
    /// People to look at when the process starts.
    private var unchecked: Set<PersonID>
    /// No wait ends before this.
    private var earliest = Timestamp.distantFuture

    /// - Parameter open: people with an open emergency
    init(rows: [FollowedRow], liveViews: [LiveViewRow] = [], open: [PersonID]) {
        followed = Dictionary(
            uniqueKeysWithValues: rows.map { ($0.person, Followed(emergency: $0.emergency)) })
        self.liveViews = Dictionary(uniqueKeysWithValues: liveViews.map { ($0.person, $0.until) })
        unchecked = Set(open).union(followed.keys).union(self.liveViews.keys)
        if !unchecked.isEmpty { earliest = .zero }
    }

    /// Number of people whose positions are published.
    public var count: Int { followed.count }

    /// When a change may be due; nil = nothing waits.
    public var nextDue: Timestamp? { earliest == .distantFuture ? nil : earliest }

    /// Applies until when the live links of a person are open.
    mutating func apply(_ view: LiveView, _ turn: inout Turn<Effect>) {
        guard view.until > turn.now else { return endLiveView(of: view.person, &turn) }
        guard liveViews[view.person] != view.until else { return }
        liveViews[view.person] = view.until
        earliest = min(earliest, view.until)
        turn.emit(
            .followedPosition(
                .saveLiveView(LiveViewRow(person: view.person, until: view.until))))
    }

    private mutating func endLiveView(of person: PersonID, _ turn: inout Turn<Effect>) {
        guard liveViews.removeValue(forKey: person) != nil else { return }
        turn.emit(.followedPosition(.removeLiveView(person)))
    }

    /// People to update in this turn, because their wait is over.
    mutating func due(at now: Timestamp) -> [PersonID] {
        guard earliest <= now else { return [] }
        let due = unchecked.union(waiting.filter { $0.value <= now }.keys)
            .union(liveViews.filter { $0.value <= now }.keys)
        guard due.count <= Limits.followedPerTurn else {
            return Array(due.sorted().prefix(Limits.followedPerTurn))
        }
        let later = [waiting.values, liveViews.values].compactMap { times in
            times.filter { $0 > now }.min()
        }
        earliest = later.min() ?? .distantFuture
        return due.sorted()
    }

    /// Publishes the position of a person who is followed, if it changed.
    mutating func update(
        _ person: PersonID, _ signals: Signals, _ reports: Reports, _ devices: Devices,
        isOnJourney: Bool, _ turn: inout Turn<Effect>
    ) {
        let emergency = signals.openEmergency(of: person)
        guard emergency != nil || followed[person] != nil || liveViews[person] != nil
        else { return }
        let device = reports.primaryRow(of: person, in: turn.directory)
        let condition = device.flatMap { devices.condition(of: $0.device) }
        update(
            person, emergency: emergency, device: device,
            impairments: condition?.impairments ?? [], isOnJourney: isOnJourney, &turn)
    }

    /// Publishes what changed, begins or ends following a person.
    ///
    /// - Parameters:
    ///   - emergency: the emergency, if it is open or acknowledged
    ///   - device: the primary device
    ///   - impairments: of the device, ascending
    ///   - isOnJourney: whether the person has an open journey
    mutating func update(
        _ person: PersonID, emergency: EmergencyID?, device: DeviceRow?,
        impairments: [Impairment] = [], isOnJourney: Bool = false, _ turn: inout Turn<Effect>
    ) {
        unchecked.remove(person)
        if let until = liveViews[person], until <= turn.now { endLiveView(of: person, &turn) }
        guard emergency != nil || liveViews[person] != nil else { return unfollow(person, &turn) }
        let position = device.flatMap { device -> FollowedPosition? in
            guard let fix = device.newest else { return nil }
            return FollowedPosition(
                person: person, emergency: emergency, fixes: [fix], battery: device.battery,
                charging: device.charging, impairments: impairments,
                isOnJourney: isOnJourney ? true : nil)
        }
        guard let known = followed[person], known.emergency == emergency else {
            return open(person, emergency, position, device, &turn)
        }
        guard let position, position != known.published else {
            waiting[person] = nil
            return
        }
        let due = known.publishedAt + .seconds(Limits.followedPositionSeconds)
        // A clock that was set back must not stop the positions.
        guard due <= turn.now || known.publishedAt > turn.now else {
            waiting[person] = due
            earliest = min(earliest, due)
            return
        }
        waiting[person] = nil
        followed[person]?.published = position
        followed[person]?.publishedAt = turn.now
        turn.raise(.sosPosition(position), id: position.id(at: turn.now), trace: "")
    }

    private mutating func open(
        _ person: PersonID, _ emergency: EmergencyID?, _ position: FollowedPosition?,
        _ device: DeviceRow?, _ turn: inout Turn<Effect>
    ) {
        if let emergency {
            turn.emit(
                .followedPosition(.follow(FollowedRow(person: person, emergency: emergency))))
        } else if followed[person]?.emergency != nil {
            turn.emit(.followedPosition(.unfollow(person)))
        }
        waiting[person] = nil
        var known = Followed(emergency: emergency)
        if let position, let device {
            known.published = position
            known.publishedAt = turn.now
            if emergency == nil {
                turn.raise(.sosPosition(position), id: position.id(at: turn.now), trace: "")
            } else {
                turn.emit(
                    .followedPosition(
                        .open(
                            FollowedPositionOpening(
                                position: position, device: device.number,
                                id: position.id(at: turn.now), time: turn.now))))
            }
        }
        followed[person] = known
    }

    private mutating func unfollow(_ person: PersonID, _ turn: inout Turn<Effect>) {
        waiting[person] = nil
        if followed.removeValue(forKey: person)?.emergency != nil {
            turn.emit(.followedPosition(.unfollow(person)))
        }
    }

    /// Stops following a removed person.
    mutating func forget(_ person: PersonID, _ turn: inout Turn<Effect>) {
        unchecked.remove(person)
        endLiveView(of: person, &turn)
        unfollow(person, &turn)
    }
}

extension FollowedPosition {
    fileprivate func id(at now: Timestamp) -> EventID {
        Hash.derivedID(
            kind: .sosPosition, person: person, subject: emergency.map { .id($0) } ?? .none,
            cause: Hash.id(
                .number(now.microseconds), .number(fixes.last?.time.microseconds ?? 0)))
    }
}
