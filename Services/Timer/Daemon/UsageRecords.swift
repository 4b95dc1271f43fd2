import Hosting
import Model
import Runtime

/// Credentials that are used at the timer count as used: membership shows the day.
extension TimerService: RecordsUsage {
    func recordUsage(_ usage: CredentialUsage) throws {
        try host.publish(
            Event(id: EventID(SecureRandom.id()), time: host.now, body: .usageRecorded(usage)),
            on: .deadlines)
    }
}
