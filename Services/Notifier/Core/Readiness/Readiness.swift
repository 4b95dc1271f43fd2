import Directory
import Model

/// Why a member, or a circle, is not ready for an emergency.
package enum ReadinessReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nobody else in the circle can be reached for the member.
    case nobodyReachable = "nobody-reachable"
    /// The member cannot be reached.
    case unreachable
    /// No phone of the member has ever reported.
    case neverReported = "never-reported"
    /// The member's phone has not reported for days.
    case notReporting = "not-reporting"
    /// Something keeps the member's phone from reporting.
    case impaired
    /// No message has been proven to arrive at the member for weeks.
    case unproven

    /// Whether an emergency would reach nobody.
    package var isRed: Bool { self == .nobodyReachable }
}

/// How ready a member, or a circle, is.
package enum ReadinessState: String, Hashable, Sendable, Codable, CaseIterable {
    case green, amber, red

    init(_ reasons: some Sequence<ReadinessReason>) {
        let reasons = Array(reasons)
        self = reasons.contains(where: \.isRed) ? .red : reasons.isEmpty ? .green : .amber
    }
}

/// A channel of a member.
package struct ChannelReadiness: Hashable, Sendable {
    package var channel: Channel
    /// Number of verified contact points.
    package var verified: Int
    /// Why none of them is reachable; nil = one is.
    package var obstacle: UnreachableReason?
    /// The day of the last proven delivery; nil = none is known.
    package var proven: Timestamp?
}

/// How the phone of a member reports.
package enum ReportingReadiness: Hashable, Sendable {
    /// The member shares no position with the circle, so it is not shown.
    case notShared
    /// No phone has reported.
    case never
    case known(DeviceReporting)
}

/// How ready one member of a circle is, as far as a reader may see it.
package struct MemberReadiness: Hashable, Sendable {
    package var person: PersonID
    package var name: String
    package var role: Role
    package var reporting: ReportingReadiness
    package var channels: [ChannelReadiness]
    /// Nil = the reader may not know. Whether a duress PIN is set is not known to anybody.
    package var hasPIN: Bool?
    /// Whether the member agreed to get the test messages of drills.
    package var joinsDrills: Bool
    /// The other members who can be reached for the member, ids ascending.
    package var responders: [PersonID]
    /// Why nobody can; nil = somebody can.
    package var obstacle: UnreachableReason?
    /// Whether nobody can because of the member's own never-notify list; only they may know.
    package var isOwnChoice: Bool
    package var reasons: [ReadinessReason]

    package var state: ReadinessState { ReadinessState(reasons) }
}

/// Whether a circle is ready for an emergency of each of its members.
///
/// For everybody but the member themselves, who could respond is computed as if there were neither
/// never-notify lists nor excluded circles: nobody can infer them. A member alone reads the true
/// answer about themselves.
package struct Readiness: Sendable {
    private let directory: Replica
    private let reachability: Reachability
    private let now: Timestamp

    package init(_ directory: Replica, _ reachability: Reachability, at now: Timestamp) {
        self.directory = directory
        self.reachability = reachability
        self.now = now
    }

    /// The joined members about whom a reader may read, ids ascending: members read about
    /// themselves, guardians and admins also about those who agreed to their role.
    ///
    /// - Parameter reader: nil = the operator
    package func members(of circle: Circle, readBy reader: PersonID?) -> [Membership] {
        let membership = reader.flatMap(circle.member)
        let isStaff = reader.flatMap(directory.person)?.staff == .operator
        return circle.members.filter { member in
            guard member.joined != nil else { return false }
            if member.person == reader { return true }
            guard let membership else { return reader == nil || isStaff }
            return circle.role(of: membership, over: member) != .member
        }.sorted { $0.person < $1.person }
    }

    /// How ready a member is.
    ///
    /// - Parameters:
    ///   - reader: nil = the operator
    ///   - reporting: how the devices of the member report
    ///   - proven: the day of the last proven delivery to an address; nil = none is known
    package func member(
        _ member: Membership, of circle: Circle, readBy reader: PersonID?,
        reporting: [DeviceReporting], proven: (String) -> Timestamp?
    ) -> MemberReadiness {
        let isOwn = reader == member.person
        let person = directory.person(member.person)
        let (responders, obstacle) = responders(for: member, in: circle, isTrue: isOwn)
        let isOwnChoice =
            isOwn && obstacle != nil
            && self.responders(for: member, in: circle, isTrue: false).obstacle == nil
        let channels = person.map { self.channels(of: $0, proven) } ?? []
        let report = self.reporting(of: member, reporting, isOwn: isOwn)
        var reasons: [ReadinessReason] = obstacle == nil ? [] : [.nobodyReachable]
        if !channels.contains(where: { $0.obstacle == nil && $0.verified > 0 }) {
            reasons.append(.unreachable)
        } else if !channels.contains(where: isProven) {
            reasons.append(.unproven)
        }
        switch report {
        case .notShared: break
        case .never: reasons.append(.neverReported)
        case .known(let device):
            if device.lastReport.map({ now - $0 > Limits.reportAgeMax }) ?? true {
                reasons.append(device.lastReport == nil ? .neverReported : .notReporting)
            }
            if device.isImpaired { reasons.append(.impaired) }
        }
        return MemberReadiness(
            person: member.person, name: person?.name ?? "", role: member.role,
            reporting: report, channels: channels,
            hasPIN: reader == nil || circle.member(reader ?? member.person) == nil
                ? nil : directory.asksPIN(of: member.person),
            joinsDrills: member.joinsDrills, responders: responders, obstacle: obstacle,
            isOwnChoice: isOwnChoice, reasons: reasons)
    }

    /// Whether there is a member for whom nobody else in the circle can be reached, as if there
    /// were no never-notify lists. A circle of one person does not count: it is not in use yet.
    package func isAnybodyAlone(in circle: Circle) -> Bool {
        let members = circle.members.filter { $0.joined != nil }
        guard members.count > 1 else { return false }
        return members.contains { responders(for: $0, in: circle, isTrue: false).obstacle != nil }
    }

    // MARK: Parts

    /// Who can be reached for a member in a circle.
    ///
    /// - Parameter isTrue: whether the member's never-notify list and excluded circles count
    private func responders(
        for member: Membership, in circle: Circle, isTrue: Bool
    ) -> (people: [PersonID], obstacle: UnreachableReason?) {
        var found: [PersonID] = []
        var reason: UnreachableReason = .nobodyElse
        let own = Set((directory.person(member.person)?.contacts ?? []).map(\.key))
        let isExcluded =
            isTrue && directory.neverNotifyList(of: member.person).circles.contains(circle.id)
        for helper in Recipients.helpers(of: member.person, in: circle) where !isExcluded {
            if isTrue, directory.hidesEmergencies(of: member.person, from: helper.person) {
                continue
            }
            let obstacle =
                directory.person(helper.person).map {
                    reachability.obstacle(to: $0, notBy: own, at: now)
                } ?? .noContactPoint
            if let obstacle {
                // A reason that somebody can mend is more useful than a missing contact point.
                if reason == .nobodyElse || reason == .noContactPoint { reason = obstacle }
            } else {
                found.append(helper.person)
            }
        }
        return (found, found.isEmpty ? reason : nil)
    }

    private func channels(
        of person: Person, _ proven: (String) -> Timestamp?
    ) -> [ChannelReadiness] {
        Channel.allCases.compactMap { channel in
            let contacts = person.contacts.filter {
                $0.channel == channel && !$0.address.isEmpty
            }
            guard !contacts.isEmpty else { return nil }
            let verified = contacts.filter { $0.verified != nil }
            return ChannelReadiness(
                channel: channel, verified: verified.count,
                obstacle: reachability.obstacle(to: person, on: [channel], at: now),
                proven: verified.compactMap { proven($0.address) }.max())
        }
    }

    private func isProven(_ channel: ChannelReadiness) -> Bool {
        guard channel.obstacle == nil, let day = channel.proven else { return false }
        return now - day <= Limits.proofAgeMax
    }

    /// The primary device, otherwise the one that reported last. How the phone of somebody who
    /// shares nothing reports is shown to that person only.
    private func reporting(
        of member: Membership, _ devices: [DeviceReporting], isOwn: Bool
    ) -> ReportingReadiness {
        guard isOwn || member.sharing.isOn(at: now) else { return .notShared }
        let chosen = directory.chosenDevice(of: member.person)
        let primary =
            devices.first { $0.device == chosen }
            ?? (chosen == nil ? devices.first(where: \.isFirst) : nil)
        let newest = devices.max {
            ($0.lastReport ?? .zero, $0.device) < ($1.lastReport ?? .zero, $1.device)
        }
        return (primary ?? (chosen == nil ? newest : nil)).map(ReportingReadiness.known) ?? .never
    }
}
