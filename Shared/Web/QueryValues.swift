// What many queries say in the same way.
extension Request {
    /// The `limit` of a list.
    ///
    /// - Returns: nil where the query has none
    /// - Throws: a 400 problem when it is no number from 1 to the maximum
    public func pageLimit(max: Int) throws(Problem) -> Int? {
        guard let text = query["limit"] else { return nil }
        guard let number = Int(text), (1...max).contains(number) else {
            throw .invalid(
                "this is no number of entries", field: "limit", hint: "send 1 to \(max)")
        }
        return number
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
