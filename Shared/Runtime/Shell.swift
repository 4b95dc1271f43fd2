/// Quoting for POSIX shells.
public enum Shell {
    /// Quotes a word for a shell: unchanged if it has no special characters, else in single quotes.
    ///
    /// ```swift
    /// Shell.quoted("Family")         // Family
    /// Shell.quoted("Mia's Family")   // 'Mia'\''s Family'
    /// ```
    public static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_-./:@%+,".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
