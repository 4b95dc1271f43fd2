/// Allows trees as members of other values. Works only with this module's coders.
extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        guard let tree = decoder as? TreeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "JSON can only be decoded by JSON.decode"))
        }
        self = tree.json
    }

    public func encode(to encoder: any Encoder) throws {
        guard let tree = encoder as? SlotEncoder else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "JSON can only be encoded by JSON.encode"))
        }
        tree.slot.set(self)
    }
}
