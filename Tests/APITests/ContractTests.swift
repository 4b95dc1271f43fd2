import Dialects
import Directory
import Model
import NotifierCore
import Parsing
import TestSupport
import Testing

@testable import API

/// docs/openapi.yaml describes exactly the operations of the tables.
@Suite struct `docs/openapi.yaml` {
    private let contract: Contract

    init() throws { contract = try Contract() }

    /// A method on a path, without the names of parameters.
    private struct Place: Hashable {
        let service: String
        let method: String
        let path: String

        init(_ service: String, _ method: String, _ path: String) {
            self.service = service
            self.method = method
            self.path = path.replacing(/\{\w+\}/, with: "{}")
        }
    }

    private func place(of operation: API.Operation) -> Place {
        Place(operation.service.rawValue, operation.method.rawValue, operation.path)
    }

    @Test func `describes every operation, and no other`() {
        let rows = Operation.all.map(place(of:))
        let described = contract.operations.map { Place($0.service, $0.method, $0.path) }
        #expect(Set(rows).count == rows.count)
        #expect(Set(described).symmetricDifference(rows) == [])
    }

    @Test func `uses the names, credentials and idempotency of the tables`() {
        let rows = Dictionary(uniqueKeysWithValues: Operation.all.map { (place(of: $0), $0) })
        for described in contract.operations {
            guard let row = rows[Place(described.service, described.method, described.path)]
            else { continue }
            #expect(row.name == nil || row.name == described.id)
            let hasKey = described.parameters.contains { $0.name == "Idempotency-Key" }
            #expect(hasKey == (row.repetition != .never), "\(described.id)")
            let hasToken = described.path.contains("{token}")
            let security: Contract.Security =
                switch row.access {
                case .pathSecret, .open, .signature: .none
                case .phone where hasToken: .optional
                case .phone, .rights, .signedIn, .device, .monitoring: .required
                }
            #expect(described.security == security, "\(described.id)")
        }
    }

    @Test func `lists the values of enums`() {
        func values<Value: RawRepresentable<String> & CaseIterable>(
            _ type: Value.Type
        ) -> Set<String> { Set(type.allCases.map(\.rawValue)) }
        let types = [
            "Channel": values(Channel.self), "Plan": values(Plan.self),
            "BillingSource": values(BillingSource.self), "Affiliation": values(Affiliation.self),
            "SignInKind": values(SignInKind.self),
            "CredentialKind": values(CredentialKind.self), "Platform": values(Platform.self),
            "StaffRole": values(StaffRole.self), "Action": values(Action.self),
            "DenialReason": values(Denial.self),
            "Role": values(Role.self), "Precision": values(Precision.self),
            "MessageMode": values(ZoneMessage.Mode.self),
            "QuarantineReason": values(QuarantineReason.self),
            "EmergencyTrigger": values(EmergencyTrigger.self),
            "EmergencyState": values(EmergencyState.self),
            "NotifyReason": values(NotifyReason.self), "TimelineKind": values(TimelineKind.self),
            "NotificationState": values(NotificationState.self),
            "AttemptOutcome": values(AttemptOutcome.self),
            "ReadinessReason": values(ReadinessReason.self),
            "ReadinessState": values(ReadinessState.self),
        ]
        for (name, described) in contract.enums {
            #expect(types[name] == described, "\(name)")
        }
        #expect(Set(contract.enums.keys) == Set(types.keys))
    }
}

@Suite struct `The table of operations` {
    @Test func `names every right, and every target of one by a parameter`() {
        var named: Set<Action> = []
        for operation in Operation.all {
            guard case .rights(let actions) = operation.access else { continue }
            named.formUnion(actions)
        }
        #expect(named == Set(Action.allCases))
    }

    @Test func `routes no operation by a path that an earlier one matches`() {
        func parts(_ operation: API.Operation) -> [Substring] {
            operation.path.split(separator: "/")
        }
        for (index, operation) in Operation.all.enumerated() {
            let parts = parts(operation)
            let earlier = Operation.all[..<index].first { earlier in
                let others = earlier.path.split(separator: "/")
                return earlier.path.contains("{") && operation.path.contains("{")
                    && others.count == parts.count && earlier.path != operation.path
                    && zip(others, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
            }
            #expect(earlier == nil, "\(operation.path)")
        }
    }

    @Test func `lets emergency commands pass without a rate limit`() {
        for operation in Operation.all where operation.isEmergencyCommand {
            #expect(operation.limit == .none && !operation.canWait, "\(operation.path)")
        }
    }
}
