import Parsing
import Web

/// One page of a list with ascending ids. The cursor is the last id shown.
struct Page<Element> {
    private let elements: ArraySlice<Element>
    private let next: String?

    static var limitDefault: Int { 100 }
    static var limitMax: Int { 500 }

    /// - Throws: 400 if `limit` or `cursor` is invalid
    init(
        _ all: [Element], of request: Request, id: (Element) -> String
    ) throws(Problem) {
        let limit = try request.pageLimit(max: Page.limitMax) ?? Page.limitDefault
        var start = all.startIndex
        if let cursor = request.query["cursor"] {
            guard !cursor.isEmpty else {
                throw .invalid(
                    "not a cursor", field: "cursor",
                    hint: #"use "next" of the previous page"#)
            }
            start = all.firstIndex { id($0) > cursor } ?? all.endIndex
        }
        let rest = all[start...]
        elements = rest.prefix(limit)
        next = elements.endIndex < rest.endIndex ? elements.last.map(id) : nil
    }

    /// `{"items": […], "next": cursor or null}`
    func response<Failure: Error>(
        _ view: (Element) throws(Failure) -> JSON
    ) throws(Failure) -> Response {
        let items = try elements.map(view)
        let body: JSON = [
            "items": .array(items),
            "next": next.map { .string($0) } ?? .null,
        ]
        return .json(body)
    }
}
