import Directory
import Model

/// A part of a journey that somebody may see: from its first moment up to, not including, its end.
public struct JourneyWindow: Hashable, Sendable {
    public var from: Timestamp
    public var to: Timestamp

    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }

    public func holds(_ time: Timestamp) -> Bool { from <= time && time < to }
}

/// What a viewer may see of the journeys of a person.
public struct JourneyViewer: Hashable, Sendable {
    /// Whose they are: sees all.
    public private(set) var isOwn = false
    /// Since when both have been in a circle in which the person shares now, as far as it looks
    /// back.
    private var shares: [CircleID: Timestamp] = [:]

    /// - Returns: nil for whoever may know nothing of the person at all.
    ///
    /// - Throws: why somebody who knows the person may not see this.
    public init?(
        of person: PersonID, for principal: Principal, in directory: Replica, at now: Timestamp
    ) throws(DecisionDenial) {
        guard directory.person(person) != nil else { return nil }
        if principal.person == person {
            isOwn = true
            return
        }
        var denial: Denial?
        for id in directory.circles(of: person) {
            guard let circle = directory.circle(id), let subject = circle.member(person) else {
                continue
            }
            let decision = directory.decide(
                principal, .readHistory, on: .member(person, in: id), at: now)
            switch decision.denial {
            case nil where subject.precision == .exact:
                let viewer = principal.person.flatMap(circle.member)
                let joined = [viewer?.joined, subject.joined].compactMap { $0 }.max()
                shares[id] = max(joined ?? .zero, circle.seenFrom(at: now))
            case nil: denial = .notSharing
            case .notAMember: break
            case let other?: denial = other
            }
        }
        guard shares.isEmpty else { return }
        guard let denial else { return nil }
        throw DecisionDenial(reason: denial)
    }

    /// The parts of a journey that are to be seen, ascending and apart from each other.
    ///
    /// - Parameter sights: of the journey, ascending
    public func windows(of span: JourneySpan, _ sights: [JourneySight]) -> [JourneyWindow] {
        // A fix of the moment in which it was stopped belongs to it.
        let end = span.isOpen ? span.stopped : span.stopped + .microseconds(1)
        if isOwn { return [JourneyWindow(from: span.started, to: end)] }
        var windows: [JourneyWindow] = []
        for (place, sight) in sights.enumerated() {
            let next = place + 1 < sights.count ? sights[place + 1].since : end
            let since = sight.circles.compactMap { shares[$0] }.min()
            guard let since else { continue }
            let window = JourneyWindow(
                from: max(sight.since, since, span.started), to: min(next, end))
            guard window.from < window.to else { continue }
            if windows.last?.to == window.from {
                windows[windows.count - 1].to = window.to
            } else {
                windows.append(window)
            }
        }
        return windows
    }
}
