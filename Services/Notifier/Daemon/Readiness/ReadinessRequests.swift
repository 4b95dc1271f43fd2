import Directory
import Model
import NotifierCore
import Parsing
import Web

/// Requests for the readiness of a circle.
struct ReadinessRequests {
    let context: RequestContext

    /// Rows about the members about whom the reader may read.
    func readiness(of id: CircleID, for principal: Principal) throws -> RequestOutcome {
        let directory = context.directory
        let decision = directory.decide(
            principal, .readReadiness, on: .circle(id), at: context.now)
        guard let circle = directory.circle(id), decision != .denied(.notAMember) else {
            throw Problem.notFound("there is no such circle")
        }
        if let denial = decision.denial { throw Problem.denied(denial.explanation) }
        let core = context.core
        let readiness = Readiness(directory, core.delivery.reachability, at: context.now)
        let reader = principal.person
        let rows = try readiness.members(of: circle, readBy: reader).map { member in
            readiness.member(
                member, of: circle, readBy: reader,
                reporting: try context.store.reporting(of: member.person),
                proven: core.delivery.lastProof)
        }
        return .respond(.json(Documents.readiness(of: circle, rows, at: context.now)))
    }
}

extension Documents {
    fileprivate static func readiness(
        of circle: Circle, _ rows: [MemberReadiness], at now: Timestamp
    ) -> JSON {
        let reasons = ReadinessReason.allCases.filter { reason in
            rows.contains { $0.reasons.contains(reason) }
        }
        return [
            "circle": .string(circle.id.description), "name": .string(circle.name),
            "state": .string(worst(rows).rawValue),
            "reasons": .array(reasons.map { .string($0.rawValue) }),
            "explanation": .string(explanation(reasons, rows)),
            "items": .array(rows.map { member($0, at: now) }), "next": .null,
        ]
    }

    private static func worst(_ rows: [MemberReadiness]) -> ReadinessState {
        let states = Set(rows.map(\.state))
        return states.contains(.red) ? .red : states.contains(.amber) ? .amber : .green
    }

    private static func member(_ row: MemberReadiness, at now: Timestamp) -> JSON {
        [
            "person": .string(row.person.description), "name": .string(row.name),
            "role": .string(row.role.rawValue), "state": .string(row.state.rawValue),
            "reasons": .array(row.reasons.map { .string($0.rawValue) }),
            "explanations": .array(row.reasons.map { .string(sentence($0, row)) }),
            "reporting": reporting(row.reporting),
            "channels": .array(row.channels.map { channel($0, at: now) }),
            "pinSet": row.hasPIN.map(JSON.bool) ?? .null,
            "joinsDrills": .bool(row.joinsDrills),
            "responders": .array(row.responders.map { .string($0.description) }),
            "respondersReason": row.obstacle.map { .string($0.rawValue) } ?? .null,
        ]
    }

    private static func reporting(_ reporting: ReportingReadiness) -> JSON {
        switch reporting {
        case .notShared: return ["shared": false]
        case .never:
            return ["shared": true, "app": .null, "lastReportDay": .null, "impaired": false]
        case .known(let device):
            return [
                "shared": true, "app": device.app.map(JSON.string) ?? .null,
                "lastReportDay": day(device.lastReport), "impaired": .bool(device.isImpaired),
                "impairments": .array(device.impairments.map { .string($0.rawValue) }),
            ]
        }
    }

    private static func channel(_ channel: ChannelReadiness, at now: Timestamp) -> JSON {
        [
            "channel": .string(channel.channel.rawValue),
            "verified": .integer(Int64(channel.verified)),
            "reachable": .bool(channel.obstacle == nil),
            "reason": channel.obstacle.map { .string($0.rawValue) } ?? .null,
            "provenDay": day(channel.proven),
            "provenAgeDays": channel.proven.map {
                .integer(max(0, (now - $0).milliseconds / 86_400_000))
            } ?? .null,
        ]
    }

    /// A day in UTC, such as 2026-11-20.
    private static func day(_ time: Timestamp?) -> JSON {
        time.map { .string(String($0.description.prefix(10))) } ?? .null
    }

    private static func explanation(
        _ reasons: [ReadinessReason], _ rows: [MemberReadiness]
    ) -> String {
        guard let first = reasons.first else {
            return "Ready: somebody can be reached for everyone."
        }
        let concerned = rows.filter { $0.reasons.contains(first) }
        let names = concerned.map(\.name).joined(separator: ", ")
        return switch first {
        case .nobodyReachable: "Nobody else can be reached in an emergency of \(names)."
        case .unreachable: "Cannot be reached: \(names)."
        case .neverReported: "No phone has reported yet: \(names)."
        case .notReporting: "The phone has not reported for days: \(names)."
        case .impaired: "The phone may fail to report: \(names)."
        case .unproven: "No message has been proven to arrive lately: \(names)."
        }
    }

    private static func sentence(_ reason: ReadinessReason, _ row: MemberReadiness) -> String {
        switch reason {
        case .nobodyReachable where row.isOwnChoice:
            "Your never-notify list excludes everybody who could be reached here."
        case .nobodyReachable:
            "Nobody else can be reached for \(row.name): "
                + "\(row.obstacle?.explanation ?? "reason unknown")."
        case .unreachable: "\(row.name) has no verified contact point that works."
        case .neverReported: "No phone of \(row.name) has reported yet."
        case .notReporting: "The phone of \(row.name) has not reported for days."
        case .impaired: "Something keeps the phone of \(row.name) from reporting."
        case .unproven:
            "No gateway has confirmed a message to \(row.name) for five weeks; start a drill."
        }
    }
}

extension UnreachableReason {
    /// As part of a sentence.
    fileprivate var explanation: String {
        switch self {
        case .nobodyElse: "nobody else is in the circle"
        case .noContactPoint: "the others have no contact point"
        case .noGateway: "no gateway serves the channels of the others"
        case .sinkOnly: "messages go to the built-in sink only"
        case .gatewayDown: "every gateway fails"
        case .optedOut: "the others replied STOP"
        case .dead: "messages to the others are not delivered"
        case .ownContact: "the others have only the same contact points"
        case .unverified: "the contact points of the others are not verified"
        }
    }
}
