import Model
import Parsing

/// A phone's payload and its stored form: the query if the app uses one, a line break and the body.
public struct PhonePayload: Sendable {
    /// What a reader knows besides the payload.
    public struct Context: Sendable {
        /// Time of arrival.
        public var received: Timestamp
        /// A note with this word is an emergency request; empty = none is.
        public var sosWord: String
        /// The device's OwnTracks key, if it has one.
        public var key: OwnTracks.Key?
        /// The app that the device is registered with, on which units depend.
        public var registeredApp: String
        /// Entries of a list before this index are skipped.
        public var first: Int

        public init(
            received: Timestamp, sosWord: String = "", key: OwnTracks.Key? = nil,
            registeredApp: String = "", from first: Int = 0
        ) {
            self.received = received
            self.sosWord = sosWord
            self.key = key
            self.registeredApp = registeredApp
            self.first = first
        }
    }

    public var query: Query
    public var body: [UInt8]

    public init(query: Query = Query(), body: [UInt8]) {
        self.query = query
        self.body = body
    }

    /// Reverses ``kept(by:)``. A form without a query becomes a query without a form, which means
    /// the same.
    init(kept: [UInt8], by phone: PhoneProtocol) {
        guard phone.readsQuery, !TraccarJSON.isJSON(kept) else {
            self.init(body: kept)
            return
        }
        let end = kept.firstIndex(of: UInt8(ascii: "\n")) ?? kept.endIndex
        self.init(
            query: Query(encoded: String(decoding: kept[..<end], as: UTF8.self)),
            body: Array(kept[end...].dropFirst()))
    }

    /// The form in which a payload of a protocol is stored.
    public func kept(by phone: PhoneProtocol) -> [UInt8] {
        guard phone.readsQuery, !query.items.isEmpty else { return body }
        return Array(query.encoded.utf8) + (body.isEmpty ? [] : [UInt8(ascii: "\n")]) + body
    }
}
