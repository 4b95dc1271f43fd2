import Model

// Common query parameters.
extension Request {
    /// The parameter `limit` of a list.
    ///
    /// - Returns: nil if it is missing
    /// - Throws: a 400 problem unless it is an integer from 1 to the maximum
    public func pageLimit(max: Int) throws(Problem) -> Int? {
        guard let text = query["limit"] else { return nil }
        guard let number = UntrustedNumber.integer(text, in: 1...max) else {
            throw .invalid(
                "limit is not in the allowed range", field: "limit", hint: "send 1 to \(max)")
        }
        return number
    }

    /// The parameter `cursor` of a list with numeric cursors.
    ///
    /// - Returns: nil if it is missing
    /// - Throws: a 400 problem unless it is a non-negative integer
    public func cursor() throws(Problem) -> Int64? {
        guard let text = query["cursor"] else { return nil }
        guard let number = UntrustedNumber.integer(text, in: 0...UntrustedNumber.most) else {
            throw .invalid(
                "invalid cursor", field: "cursor", hint: "send `next` of the previous page")
        }
        return Int64(number)
    }

    /// A Boolean parameter: true for `recipient=true` and for `recipient` alone; false if it is
    /// missing.
    ///
    /// - Throws: a 400 problem for other values
    public func flag(_ name: String) throws(Problem) -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "", "true": return true
        default:
            throw .invalid(
                "neither true nor false", field: name, hint: "send \(name)=true")
        }
    }
}
