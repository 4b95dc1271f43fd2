import Model

extension OwnTracks {
    /// Which app speaks, by its `User-Agent`: they take different answers.
    public enum App: Hashable, Sendable {
        /// Takes an array only if it knows every element of it.
        case android
        case iOS
        /// Overland set to speak as OwnTracks does.
        case overland
        /// Taken for as strict as Android.
        case other

        public init(userAgent: String) {
            func says(_ name: StaticString) -> Bool { userAgent.saysIgnoringCase(name) }
            if userAgent.isEmpty {
                self = .other
            } else if says("overland") {
                self = .overland
            } else if says("owntracks-android") {
                self = .android
            } else if says("cfnetwork") || says("darwin") {
                self = .iOS
            } else {
                self = .other
            }
        }

        /// Seconds since 1970; Overland counts from 2001.
        func time(_ seconds: Double?) -> Timestamp? {
            let isOf2001 = self == .overland && seconds.map { $0 < 1_000_000_000 } ?? false
            return Quantity.time(seconds.map { isOf2001 ? $0 + 978_307_200 : $0 })
        }

        /// The answer to anything without friends: Overland sends a point again until it hears an
        /// object, the others until they hear an array.
        public var emptyAnswer: [UInt8] {
            self == .overland ? Array(#"{"result":"ok"}"#.utf8) : OwnTracks.emptyAnswer
        }
    }
}

extension String {
    /// Whether a word of small letters stands somewhere in it, in whatever case. Every request is
    /// asked: nothing is allocated for it.
    fileprivate func saysIgnoringCase(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { text in
            let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            guard text.count >= word.count else { return false }
            return (0...text.count - word.count).contains { start in
                word.indices.allSatisfy { place in
                    let byte = text[start + place]
                    return (byte >= 65 && byte <= 90 ? byte | 32 : byte) == word[place]
                }
            }
        }
    }
}
