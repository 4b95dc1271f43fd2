import Model

extension OwnTracks {
    /// The sending app, by its `User-Agent`. The apps accept different answers.
    public enum App: Hashable, Sendable {
        /// Accepts an array only if it knows every element.
        case android
        case iOS
        /// Overland configured to send OwnTracks' format.
        case overland
        /// Assumed to be as strict as Android.
        case other

        public init(userAgent: String) {
            func contains(_ name: StaticString) -> Bool { userAgent.containsIgnoringCase(name) }
            if userAgent.isEmpty {
                self = .other
            } else if contains("overland") {
                self = .overland
            } else if contains("owntracks-android") {
                self = .android
            } else if contains("cfnetwork") || contains("darwin") {
                self = .iOS
            } else {
                self = .other
            }
        }

        /// Converts seconds since 1970, or since 2001 from Overland.
        func time(_ seconds: Double?) -> Timestamp? {
            let isOf2001 = self == .overland && seconds.map { $0 < 1_000_000_000 } ?? false
            return Quantity.time(seconds.map { isOf2001 ? $0 + 978_307_200 : $0 })
        }

        /// The answer to a message, if there are no friends. Overland retries until it receives an
        /// object, the other apps until they receive an array.
        public var emptyAnswer: [UInt8] {
            self == .overland ? Array(#"{"result":"ok"}"#.utf8) : OwnTracks.emptyAnswer
        }
    }
}

extension String {
    /// Whether the text contains a lower-case word, ignoring case. Runs for every request, so it
    /// does not allocate.
    fileprivate func containsIgnoringCase(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { text in
            let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            guard text.count >= word.count else { return false }
            return (0...text.count - word.count).contains { start in
                word.indices.allSatisfy { index in
                    let byte = text[start + index]
                    return (byte >= 65 && byte <= 90 ? byte | 32 : byte) == word[index]
                }
            }
        }
    }
}
