import Parsing

extension Request {
    /// The body as JSON.
    ///
    /// - Parameter valuesMax: maximum number of values
    /// - Throws: a 400 problem with the position of a syntax error, or if there are too many values
    public func json(valuesMax: Int = JSON.bodyValuesMax) throws(Problem) -> JSON {
        do {
            return try JSON.parse(body, valuesMax: valuesMax)
        } catch { throw Problem(error) }
    }

    /// The optional body as a JSON object.
    ///
    /// - Returns: nil without a body
    /// - Throws: a 400 problem if it is not an object
    public func object() throws(Problem) -> JSON? {
        guard !body.isEmpty else { return nil }
        let json = try json()
        guard case .object = json else {
            throw .invalid("the body is not an object", hint: "send an object such as {}")
        }
        return json
    }

    /// Decodes the body.
    ///
    /// - Throws: a 400 problem that names the invalid member
    public func decoded<Value: Decodable>(_ type: Value.Type) throws(Problem) -> Value {
        do {
            return try JSON.parse(body, valuesMax: JSON.bodyValuesMax).decode(type)
        } catch { throw Problem(error) }
    }
}

extension Problem {
    /// 400: the body is not JSON or has an unexpected structure.
    public init(_ error: ParseError) {
        let place = error.offset.map { " at byte \($0)" } ?? ""
        self = .invalid(
            error.message + place, field: error.path.isEmpty ? nil : error.path, hint: error.hint)
    }
}
