import Model
import Parsing
import Wire

/// Valid events with one extreme number or time.
///
/// Integer overflow stops the process, so tests of each consumer apply these events. Values that
/// the decoder rejects are omitted.
public enum ExtremeEvents {
    /// JSON values that replace a number or a time.
    static let words =
        [
            "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "9007199254740992", "-9007199254740992", "4294967296", "4294967295", "2147483647",
            "-2147483648", "65535", "32767", "-32768", "255", "-1", "0", "1e308", "-1e308", "1e400",
            "5e-324", "-0.0",
        ]
        + [
            "9999-12-31T23:59:59.999999Z", "0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z",
            "2262-04-11T23:47:16.854775Z",
        ].map { "\"\($0)\"" }

    /// Bit patterns of integers in binary payloads.
    private static let patterns: [UInt64] = [
        0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
        1 << 53, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
    ]

    /// Creates extreme events from a sample.
    ///
    /// - Parameters:
    ///   - names: replacements for ids in the sample, such as people known to the consumer
    ///   - most: the maximum number of events; of more, an even selection is made
    /// - Returns: decodable events with different ids
    public static func made(
        of sample: Event, names: [ID128: ID128] = [:], most: Int = .max
    ) throws -> [Event] {
        var record = try EventCodec.encode(sample)
        record.payload = renamed(record.payload, names)
        let all = Variants(of: record.payload)
        let step = (all.count - 1) / most + 1
        return stride(from: 0, to: all.count, by: step).compactMap { index in
            var changed = record
            changed.payload = all.payload(index)
            guard var event = try? EventCodec.decode(changed) else { return nil }
            event.id = EventID(
                ID128(high: event.id.raw.high ^ 0xE47E, low: UInt64(index) &+ event.id.raw.low))
            return event
        }
    }

    /// The value with a mark in place of one of its numbers and times.
    ///
    /// - Parameter index: which one; decreased by the number of those in the value
    private static func marked(_ json: JSON, _ index: inout Int) -> JSON {
        switch json {
        case .array(let values): return .array(values.map { marked($0, &index) })
        case .object(let members):
            return .object(members.map { .init($0.key, marked($0.value, &index)) })
        case .integer, .number: break
        case .string(let text) where Timestamp(text) != nil: break
        default: return json
        }
        index -= 1
        return index == -1 ? "«»" : json
    }

    /// A payload with each extreme value at each place, created lazily.
    private struct Variants {
        /// Nil for a binary payload.
        private let json: JSON?
        /// The number of replaceable values in it.
        private var leaves = 0
        private var places: [(place: Int, width: Int, pattern: UInt64)] = []
        private let payload: [UInt8]

        init(of payload: [UInt8]) {
            self.payload = payload
            json = try? JSON.parse(payload)
            if let json {
                var index = 0
                _ = marked(json, &index)
                leaves = -index
                return
            }
            // Every pattern at every offset, in every width.
            for width in [2, 4, 8] where payload.count >= width {
                for place in 0...(payload.count - width) {
                    for pattern in patterns where width == 8 || pattern >> UInt64(8 * width) == 0 {
                        places.append((place, width, pattern))
                    }
                }
            }
        }

        var count: Int { leaves * words.count + places.count }

        func payload(_ index: Int) -> [UInt8] {
            if let json {
                var leaf = index / words.count
                let word = Array(words[index % words.count].utf8)
                let text = marked(json, &leaf).serialized()
                let mark = Array("\"«»\"".utf8)
                // Without a library: this is done thousands of times, with long texts.
                let start = text.indices.first { place in
                    text[place] == mark[0] && text.count - place >= mark.count
                        && text[place + 1] == mark[1] && text[place + 2] == mark[2]
                        && text[place + 3] == mark[3]
                }
                guard let start else { return text }
                return text[..<start] + word + text[(start + mark.count)...]
            }
            let (place, width, pattern) = places[index]
            var changed = payload
            for byte in 0..<width {
                changed[place + byte] = UInt8(truncatingIfNeeded: pattern >> UInt64(8 * byte))
            }
            return changed
        }
    }

    /// Replaces ids, which are texts in JSON and bytes in binary payloads.
    private static func renamed(_ payload: [UInt8], _ names: [ID128: ID128]) -> [UInt8] {
        var bytes = payload
        for (old, new) in names.sorted(by: { $0.key < $1.key }) {
            let forms = [
                (text(of: old), text(of: new)),
                (old.bytes, new.bytes),
            ]
            for (from, to) in forms { bytes.replace(from, with: to) }
        }
        return bytes
    }

    /// The text of an id, without the prefix of its kind.
    private static func text(of id: ID128) -> [UInt8] {
        Array(PersonID(id).description.utf8.drop { $0 != UInt8(ascii: "_") })
    }
}
