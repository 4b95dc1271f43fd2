import Parsing

extension Request {
    /// The body as JSON.
    ///
    /// - Throws: a 400 problem that says where the body stops being JSON, or that it has more than
    ///   so many values.
    public func json(valuesMax: Int = JSON.bodyValuesMax) throws(Problem) -> JSON {
        do {
            return try JSON.parse(body, valuesMax: valuesMax)
        } catch { throw Problem(error) }
    }

    /// The body of a request that may do without.
    ///
    /// - Returns: nil without a body
    /// - Throws: a 400 problem when it is something else than an object
    public func object() throws(Problem) -> JSON? {
        guard !body.isEmpty else { return nil }
        let json = try json()
        guard case .object = json else {
            throw .invalid("the body is no object", hint: "send an object such as {}")
        }
        return json
    }

    /// The body as a value.
    ///
    /// - Throws: a 400 problem that names the member in the way.
    public func decoded<Value: Decodable>(_ type: Value.Type) throws(Problem) -> Value {
        do {
            return try JSON.parse(body, valuesMax: JSON.bodyValuesMax).decode(type)
        } catch { throw Problem(error) }
    }
}

extension Problem {
    /// 400 for a body that is no JSON or not the JSON that was asked for.
    public init(_ error: ParseError) {
        let place = error.offset.map { " at byte \($0)" } ?? ""
        self = .invalid(
            error.message + place, field: error.path.isEmpty ? nil : error.path, hint: error.hint)
    }
}
