import Directory
import Model

/// A visible part of a journey, excluding its end.
package struct JourneyWindow: Hashable, Sendable {
    package var from: Timestamp
    package var to: Timestamp

    package init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }

    package func holds(_ time: Timestamp) -> Bool { from <= time && time < to }
}

/// Decides what a viewer may see of a person's journeys.
package struct JourneyViewer: Hashable, Sendable {
    /// The viewer is the person: sees all.
    package private(set) var isOwn = false
    /// Circles in which the person shares now, and since when both have been members, limited by
    /// the circle's history.
    private var shares: [CircleID: Timestamp] = [:]

    /// - Returns: nil if the viewer may not know that the person exists
    /// - Throws: why a viewer who knows the person may not see journeys
    package init?(
        of person: PersonID, for principal: Principal, in directory: Replica, at now: Timestamp
    ) throws(Denial) {
        guard directory.person(person) != nil else { return nil }
        if principal.person == person {
            isOwn = true
            return
        }
        // The secret of a phone may be part of an address, so it reads nothing of others.
        if case .device = principal { return nil }
        var denial: Denial?
        for id in directory.circles(of: person) {
            guard let circle = directory.circle(id), let subject = circle.member(person) else {
                continue
            }
            let access = PositionAccess(of: principal, .readHistory, in: circle, directory, at: now)
            switch access.denial(of: subject) {
            case nil where access.detail(of: subject) == .exact:
                let viewer = principal.person.flatMap(circle.member)
                let joined = [viewer?.joined, subject.joined].compactMap { $0 }.max()
                shares[id] = max(joined ?? .zero, circle.visibleHistoryStart(of: subject, at: now))
            case nil: denial = .notSharing
            case .notAMember: break
            case let other?: denial = other
            }
        }
        guard shares.isEmpty else { return }
        guard let denial else { return nil }
        throw denial
    }

    /// The visible parts of a journey, ascending and disjoint.
    ///
    /// - Parameter sights: of the journey, ascending
    package func windows(of span: JourneySpan, _ sights: [JourneySight]) -> [JourneyWindow] {
        // A fix at the very moment of the stop belongs to the journey.
        let end = span.isOpen ? span.stopped : span.stopped + .microseconds(1)
        if isOwn { return [JourneyWindow(from: span.started, to: end)] }
        var windows: [JourneyWindow] = []
        for (index, sight) in sights.enumerated() {
            let next = index + 1 < sights.count ? sights[index + 1].since : end
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

extension Circle {
    /// The start of the history that members see of one of them. It is the beginning of a day, so
    /// that a long read sees the same to its end.
    fileprivate func visibleHistoryStart(of subject: Membership, at now: Timestamp) -> Timestamp {
        guard let days = historyDays(of: subject) else { return .zero }
        let day = now.seconds / 86_400 - Int64(days)
        return Timestamp(seconds: max(0, day) * 86_400)
    }
}
