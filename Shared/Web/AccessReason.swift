import Parsing

extension Request {
    /// Allowed lengths of a reason.
    public static let accessReasonCharacters = 8...200

    /// Why staff look at data of a person: the header `X-Access-Reason`, else the query `reason`.
    ///
    /// It is stored in the access log and shown to the person.
    ///
    /// - Parameter isRequired: whether it must be given
    /// - Returns: nil if it is missing
    /// - Throws: a 400 problem if it is required and missing, too short or long, or no plain text
    public func accessReason(isRequired: Bool = false) throws(Problem) -> String? {
        guard let text = (headers["X-Access-Reason"] ?? query["reason"])?.trimmed, !text.isEmpty
        else {
            guard isRequired else { return nil }
            throw .invalid(
                "a reason is required", field: "reason",
                hint: "send why in X-Access-Reason or ?reason=; the person reads it")
        }
        let range = Request.accessReasonCharacters
        guard range.contains(text.unicodeScalars.count) else {
            throw .invalid(
                "the reason is too short or too long", field: "reason",
                hint: "send \(range.lowerBound) to \(range.upperBound) characters")
        }
        if let hidden = PlainText.firstHidden(in: text) {
            throw .invalid(
                "the reason has a hidden character", field: "reason",
                hint: "leave out \(PlainText.name(of: hidden))")
        }
        return text
    }
}
