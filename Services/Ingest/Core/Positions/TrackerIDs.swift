import Model

/// Assigns unique two-character ids to the friends in one response: apps use them as keys.
struct TrackerIDs {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    private var used: Set<String> = []

    /// Returns the preferred id if it is free, otherwise one derived from the person's id, so that
    /// it stays stable between responses.
    mutating func assign(_ wish: String, for person: PersonID) -> String {
        if TrackerIDs.isUsable(wish), used.insert(wish).inserted { return wish }
        let count = UInt64(TrackerIDs.alphabet.count)
        let start = person.raw.low
        for step in 0..<count * count {
            let number = (start &+ step) % (count * count)
            let high = TrackerIDs.alphabet[Int(number / count)]
            let low = TrackerIDs.alphabet[Int(number % count)]
            let candidate = String([high, low])
            if used.insert(candidate).inserted { return candidate }
        }
        return wish
    }

    /// Whether it can be a level of an MQTT topic, under which a friend is published.
    private static func isUsable(_ wish: String) -> Bool {
        !wish.isEmpty && wish.utf8.allSatisfy { $0 >= 32 && ![35, 43, 47, 127].contains($0) }
    }

    /// First letters of the first two words of a name, otherwise its first two letters; upper case.
    static func initials(of name: String) -> String {
        // Fast path: most names are ASCII and need no grapheme breaking.
        if name.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) {
            return plainInitials(of: name.utf8)
        }
        let words = name.split(whereSeparator: \.isWhitespace)
        guard words.count > 1, let first = words[0].first, let second = words[1].first else {
            return String(name.prefix(2)).uppercased()
        }
        return String([first, second]).uppercased()
    }

    private static func plainInitials(of name: String.UTF8View) -> String {
        let first = name.drop { $0 == 32 }
        let second = first.drop { $0 != 32 }.drop { $0 == 32 }
        return String(unsafeUninitializedCapacity: 2) { letters in
            var count = 0
            func put(_ letter: UInt8) {
                letters[count] = letter >= 97 && letter <= 122 ? letter - 32 : letter
                count += 1
            }
            if let begins = first.first, let follows = second.first {
                put(begins)
                put(follows)
            } else {
                for letter in name.prefix(2) { put(letter) }
            }
            return count
        }
    }
}
