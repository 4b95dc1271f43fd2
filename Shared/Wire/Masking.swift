import Parsing

/// Hides in an event what says where somebody is, how they are called and how they are reached.
public enum Masking {
    /// Members that are hidden wherever they stand.
    public static let hidden: Set<String> = [
        "lat", "lon", "altitude", "course", "speed", "name", "zoneName", "address", "note", "hash",
        "origin", "coefficients", "polygons", "shape", "center", "outer", "holes", "zoneNames",
        "number", "line", "sealed", "ownMoniker", "toMoniker", "distanceCentimetres",
        "category", "extra", "trackerID",
    ]

    /// The same with `***` in the place of what is hidden.
    public static func mask(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                members.map { member in
                    let isHidden = hidden.contains(member.key) && !member.value.isNull
                    return .init(member.key, isHidden ? "***" : mask(member.value))
                })
        case .array(let values): .array(values.map(mask))
        default: json
        }
    }
}
