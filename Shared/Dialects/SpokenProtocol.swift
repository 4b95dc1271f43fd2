import Parsing

/// A protocol that a message tells by itself, wherever it was sent: the address of an app is typed
/// by people, and read as anything else its time and its calls for help would be lost.
public enum SpokenProtocol: Hashable, Sendable {
    case ownTracks
    case overland

    /// Nil for what could be of any other.
    public init?(_ body: [UInt8]) {
        guard TraccarJSON.isJSON(body),
            let spoken = try? JSONView.read(body, valuesMax: JSON.bodyValuesMax, SpokenProtocol.of)
        else { return nil }
        self = spoken
    }

    private static func of(_ json: JSONView) -> SpokenProtocol? {
        if json["_type"]?.string != nil { return .ownTracks }
        return json["locations"]?.elements != nil ? .overland : nil
    }
}
