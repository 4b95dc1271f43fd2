import Model
import Web

/// One line that maps callback fields to a kind of delivery report.
///
///     RECEIPT=delivered type=1
///     RECEIPT=failed MessageStatus=failed,undelivered
struct ReceiptRule: Sendable {
    /// Raw value of a ``ReceiptKind``, or `opted-out`.
    var kind: String
    var fields: [(name: String, values: [String])]

    init?(_ words: [Word]) {
        let kinds = ReceiptKind.allCases.map(\.rawValue) + ["opted-out"]
        guard words.count >= 2, kinds.contains(words[0].text) else { return nil }
        kind = words[0].text
        fields = []
        for word in words.dropFirst() {
            guard !word.isQuoted, let pair = word.nameAndValues else { return nil }
            fields.append(pair)
        }
    }

    func matches(_ callback: Query) -> Bool {
        fields.allSatisfy { field in callback[field.name].map(field.values.contains) ?? false }
    }
}
