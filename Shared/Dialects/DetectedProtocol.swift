import Parsing

/// Protocol recognised from a message's content, regardless of the address it was sent to.
///
/// Users type the app's address and can mix it up. In the wrong protocol, the message's time and
/// its emergencies would be lost.
public enum DetectedProtocol: Hashable, Sendable {
    case ownTracks
    case overland

    /// Returns nil if the content does not identify a protocol.
    public init?(_ body: [UInt8]) {
        guard TraccarJSON.isJSON(body),
            let detected = try? JSONView.read(
                body, valuesMax: JSON.bodyValuesMax, DetectedProtocol.of)
        else { return nil }
        self = detected
    }

    private static func of(_ json: JSONView) -> DetectedProtocol? {
        if json["_type"]?.string != nil { return .ownTracks }
        return json["locations"]?.elements != nil ? .overland : nil
    }
}
