/// Location of an element in a file.
public enum FileLocation: Hashable, Sendable, CustomStringConvertible {
    /// Line number, starting at 1.
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

/// A remark for the user about a file that was read or written successfully.
public struct FileNote: Hashable, Sendable, CustomStringConvertible {
    /// Nil if the note is about a written file.
    public var location: FileLocation?
    /// A sentence without initial capital and full stop.
    public var text: String

    public init(at location: FileLocation? = nil, _ text: String) {
        self.location = location
        self.text = text
    }

    public var description: String { location.map { "\($0): \(text)" } ?? text }
}
