import Model
import Testing

@testable import API

/// What each kind of credential may be used for, written down independently of the table.
@Suite struct `The kinds of credentials` {
    /// By `operationId`. Phone protocols have none and accept the kind `report` only.
    private static let report: Set<String> = [
        "report", "raiseEmergency", "readEmergency", "cancelEmergency", "checkIn", "readAlarm",
        "answerAlarm", "readPolicy", "listJourneys", "startJourney", "readJourney", "stopJourney",
        "addJourneyNote", "addJourneyPhoto", "readSetup", "reopenEmergency",
    ]
    private static let help: Set<String> = ["raiseEmergency"]
    private static let reportOnly: Set<String> = ["report", "readSetup"]
    private static let monitoring = ["readStatusOf", "followEventsOf"]
    /// Without any credential.
    private static let open: Set<String> = [
        "receiveReceipt", "receiveReceiptForm", "receiveReply", "receiveReplyForm",
        "receiveBillingEvent", "activatePerson", "requestSignInCode", "openSession",
        "listProviders", "startAtProvider", "returnFromProvider", "endSessionsByProvider",
        "readPasskeySignInOptions", "signInWithPasskey", "previewInvitation", "declineInvitation",
        "openEmergencyPage", "useEmergencyPage", "openLivePage", "useLivePage", "openQuestionPage",
        "useQuestionPage",
    ]

    private static func accepts(_ kind: CredentialKind, _ name: String?) -> Bool {
        guard let name else { return kind == .report }
        if open.contains(name) { return true }
        let isMonitoring = monitoring.contains { name.hasPrefix($0) }
        switch kind {
        case .report: return report.contains(name)
        case .help: return help.contains(name)
        case .monitor: return isMonitoring
        case .operator: return !reportOnly.contains(name)
        case .session, .person: return !reportOnly.contains(name)
        }
    }

    @Test func `are accepted by each operation as listed`() {
        var checked = 0
        for operation in Operation.all {
            for kind in CredentialKind.allCases {
                #expect(
                    operation.kinds.includes(kind) == Self.accepts(kind, operation.name),
                    "\(kind) on \(operation.method.rawValue) \(operation.path)")
                checked += 1
            }
        }
        #expect(checked > 1000)
        let names = Set(Operation.all.compactMap(\.name))
        #expect(Self.report.union(Self.open).subtracting(names).isEmpty, "listed operations exist")
    }

    @Test func `are sets`() {
        for kind in CredentialKind.allCases {
            for other in CredentialKind.allCases {
                #expect(CredentialKinds(kind).includes(other) == (kind == other))
            }
            #expect(CredentialKinds.all.includes(kind))
        }
        #expect(!CredentialKinds.personal.includes(.operator))
    }
}
