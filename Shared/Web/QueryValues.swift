import Model

// What many queries say in the same way.
extension Request {
    /// The `limit` of a list.
    ///
    /// - Returns: nil where the query has none
    /// - Throws: a 400 problem when it is no number from 1 to the maximum
    public func pageLimit(max: Int) throws(Problem) -> Int? {
        guard let text = query["limit"] else { return nil }
        guard let number = OutsideNumber.integer(text, in: 1...max) else {
            throw .invalid(
                "this is no number of entries", field: "limit", hint: "send 1 to \(max)")
        }
        return number
    }

    /// The `cursor` of a list whose pages end with a number.
    ///
    /// - Returns: nil where the query has none
    /// - Throws: a 400 problem when it is no number from 0 on
    public func cursor() throws(Problem) -> Int64? {
        guard let text = query["cursor"] else { return nil }
        guard let number = OutsideNumber.integer(text, in: 0...OutsideNumber.most) else {
            throw .invalid(
                "this is no cursor", field: "cursor", hint: "send `next` of the page before")
        }
        return Int64(number)
    }

    /// Whether a query says yes: `told=true`, or `told` alone; false where it says nothing.
    ///
    /// - Throws: a 400 problem when it says something else
    public func flag(_ name: String) throws(Problem) -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "", "true": return true
        default:
            throw .invalid(
                "this is neither true nor false", field: name, hint: "use \(name)=true")
        }
    }
}
