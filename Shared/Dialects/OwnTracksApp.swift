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
            let name = userAgent.lowercased()
            if name.contains("overland") {
                self = .overland
            } else if name.contains("owntracks-android") {
                self = .android
            } else if name.contains("cfnetwork") || name.contains("darwin") {
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
