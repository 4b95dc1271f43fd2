/// Two characters by which OwnTracks apps distinguish the members of a circle.
enum TrackerID {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// Returns an unused id of two upper-case letters or digits. Candidates in order: initials,
    /// first letters of the name, its first letter with any other, any two.
    static func free(for name: String, besides taken: [String]) -> String {
        let taken = Set(taken)
        for candidate in candidates(for: name) where !taken.contains(candidate) {
            return candidate
        }
        for first in characters {
            for second in characters {
                let candidate = String([first, second])
                if !taken.contains(candidate) { return candidate }
            }
        }
        fatalError("broken invariant: a circle has fewer members than there are tracker ids")
    }

    private static func candidates(for name: String) -> [String] {
        let words = name.uppercased().split(separator: " ").map { word in
            word.filter { characters.contains($0) }
        }.filter { !$0.isEmpty }
        guard let first = words.first?.first else { return [] }
        var seconds: [Character] = []
        if words.count > 1, let initial = words.last?.first { seconds.append(initial) }
        seconds += words.joined().dropFirst()
        seconds += characters
        return seconds.map { String([first, $0]) }
    }
}
