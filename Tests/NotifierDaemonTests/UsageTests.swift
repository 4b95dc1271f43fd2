import Model
import Testing

@testable import NotifierDaemon

@Suite struct `Credentials that are used at the notifier` {
    @Test func `are published for membership`() throws {
        let host = try TestHost()
        let usage = CredentialUsage(day: 20_780, credentials: [CredentialID(.zero)])
        try host.turn { try $0.recordUsage(usage) }
        #expect(host.published.map(\.body).contains(.usageRecorded(usage)))
    }
}
