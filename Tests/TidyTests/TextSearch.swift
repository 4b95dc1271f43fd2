extension StringProtocol {
    /// Whether the text includes a word, compared byte by byte.
    ///
    /// Not Foundation's `contains(_:)`: it converts text to UTF-16, is slow over all files, and
    /// has crashed in a run of these checks.
    func includes(_ word: String) -> Bool {
        let word = Array(word.utf8)
        return utf8.withContiguousStorageIfAvailable { find(word, in: $0) }
            ?? Array(utf8).withUnsafeBufferPointer { find(word, in: $0) }
    }

    private func find(_ word: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = word.first else { return true }
        guard text.count >= word.count else { return false }
        return (0...text.count - word.count).contains { start in
            text[start] == first
                && text[start..<start + word.count].elementsEqual(word)
        }
    }
}
