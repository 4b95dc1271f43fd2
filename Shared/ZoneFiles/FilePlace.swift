/// Where in a file something stands.
public enum FilePlace: Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    case line(Int)
    /// Path of a value in JSON, such as `features[2].geometry.coordinates[0][3]`.
    case path(String)

    public var description: String {
        switch self {
        case .line(let number): "line \(number)"
        case .path(let path): path.isEmpty ? "the file" : path
        }
    }
}

/// Something that its owner should know of a file that was read or written all the same.
public struct FileNote: Hashable, Sendable, CustomStringConvertible {
    /// Nil where it is about something that was written.
    public var place: FilePlace?
    /// A sentence without capital and full stop.
    public var text: String

    public init(at place: FilePlace? = nil, _ text: String) {
        self.place = place
        self.text = text
    }

    public var description: String { place.map { "\($0): \(text)" } ?? text }
}
