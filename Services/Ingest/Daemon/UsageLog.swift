import Model
import Runtime
import Wire

/// Appends uses of credentials to their stream, for membership.
struct UsageLog {
    let host: any IngestHost

    func append(_ usage: CredentialUsage) throws {
        let event = Event(
            id: EventID(SecureRandom.id()), time: host.now, body: .usageRecorded(usage))
        try host.append(try EventCodec.encode(event), to: .usage)
    }
}
