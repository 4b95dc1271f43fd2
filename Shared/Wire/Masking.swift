import Model
import Parsing

/// Masks private data in events: positions, names and addresses.
///
/// Of an event's data, only the members in its row of the event table are shown
/// (``EventRow/shown``), so new members and unknown events stay masked until somebody decides.
public enum Masking {
    /// Members of every event, without personal data.
    static let envelope: Set<String> = [
        "data", "datacontenttype", "id", "jagaseq", "jagastream", "source", "specversion",
        "subject", "time", "type",
    ]

    /// Trace fields: shown if Jaga generated the value, masked if a client did.
    static let traceFields: Set<String> = ["jagatrace", "trace"]

    /// Returns an event with masked values replaced by `***`.
    public static func mask(_ event: JSON) -> JSON {
        let kind = event["type"]?.string.flatMap(EventKind.init(type:))
        let shown = kind?.row.shown ?? []
        return mask(event, showing: envelope) { $0 == "data" ? shown : nil }
    }

    /// - Parameter inside: what is shown inside a member; nil = what is shown beside it
    private static func mask(
        _ json: JSON, showing shown: Set<String>, inside: (String) -> Set<String>? = { _ in nil }
    ) -> JSON {
        switch json {
        case .object(let members):
            .object(
                members.map { member in
                    .init(
                        member.key,
                        isShown(member, shown)
                            ? mask(member.value, showing: inside(member.key) ?? shown)
                            : .string("***"))
                })
        case .array(let values): .array(values.map { mask($0, showing: shown) })
        default: json
        }
    }

    private static func isShown(_ member: JSON.Member, _ shown: Set<String>) -> Bool {
        if member.value.isNull || shown.contains(member.key) { return true }
        guard traceFields.contains(member.key), let trace = member.value.string else {
            return false
        }
        return trace.isEmpty || ID128(text: trace) != nil
    }
}
