/// A tree within a value: members whose form only their reader knows.
extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        guard let tree = decoder as? TreeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a tree is decoded from a tree"))
        }
        self = tree.json
    }

    public func encode(to encoder: any Encoder) throws {
        guard let tree = encoder as? SlotEncoder else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "a tree is encoded into a tree"))
        }
        tree.slot.set(self)
    }
}
