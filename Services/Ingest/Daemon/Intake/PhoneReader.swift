import Dialects
import IngestCore
import Model
import Web

/// Reads payloads of phone apps.
struct PhoneReader {
    let host: any IngestHost
    let keys: DeviceKeys
    let sosWord: String

    /// What a reader of a payload knows besides it.
    ///
    /// - Parameters:
    ///   - received: time of arrival
    ///   - key: the device's OwnTracks key, if it has one
    ///   - device: the sender, for apps whose units depend on how the device is registered
    ///   - first: entries of a list before this index are skipped
    func context(
        received: Timestamp, key: OwnTracks.Key? = nil, device: DeviceID? = nil,
        from first: Int = 0
    ) -> PhonePayload.Context {
        PhonePayload.Context(
            received: received, sosWord: sosWord, key: key,
            registeredApp: device.flatMap { host.replica.device($0)?.client } ?? "", from: first)
    }

    /// Reads a request in its actual protocol, whatever its path.
    func read(
        _ request: Request, as phone: PhoneProtocol, from caller: Caller
    ) -> (client: PhoneProtocol, reading: Reading) {
        let payload = PhonePayload(query: request.query, body: request.body)
        func read(_ phone: PhoneProtocol) -> (client: PhoneProtocol, reading: Reading) {
            let client = phone.variant(userAgent: request.headers["User-Agent"])
            let key = client.ownTracks == nil ? nil : keys[caller.device]
            return (
                client,
                client.read(
                    payload, context(received: host.now, key: key, device: caller.device))
            )
        }
        // Most requests match their path: then only one read is needed.
        if phone.isRecognisable {
            let parsed = read(phone)
            guard parsed.reading.rejections.first?.reason == .notAnObject else { return parsed }
        }
        return read(PhoneProtocol.recognised(in: request.body) ?? phone)
    }
}
