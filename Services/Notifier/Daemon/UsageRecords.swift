import Hosting
import Model
import Runtime

/// Credentials that are used at the notifier count as used: membership shows the day.
extension NotifierService: RecordsUsage {
    func recordUsage(_ usage: CredentialUsage) throws {
        try host.publish(
            Event(id: EventID(SecureRandom.id()), time: host.now, body: .usageRecorded(usage)),
            on: .deliveries)
    }
}
