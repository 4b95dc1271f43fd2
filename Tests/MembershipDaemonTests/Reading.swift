import Parsing
import Testing
import Web

/// The problem that reading causes; an error if there is none.
func problem(
    _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) -> Problem {
    do {
        try body()
        Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch let problem as Problem {
        return problem
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    return Problem(status: 0, title: "", detail: "")
}

/// JSON from a text with single quotes in place of double ones.
func json(_ text: String) throws -> JSON {
    try JSON.parse(text.replacing("'", with: "\""))
}
