import Model
import NotifierCore
import Parsing
import Web

/// Requests of the operator about opt-outs of numbers.
struct OptOutRequests {
    let context: RequestContext

    /// Sets or clears the opt-out of a number for the operator.
    func set(_ request: Request) throws -> RequestOutcome {
        let body = try request.json()
        guard let number = body["number"]?.string, OptOutRequests.isE164(number) else {
            throw Problem.invalid(
                "not an E.164 number", field: "number", hint: "write it like +60123456789")
        }
        let stopped = body["stopped"]
        guard stopped == nil || stopped?.bool != nil else {
            throw Problem.invalid("not a boolean", field: "stopped", hint: "true or false")
        }
        return .submit(
            .setOptOut(request: request.id, number: number, isOptedOut: stopped?.bool ?? true))
    }

    /// Opted-out numbers, newest first.
    func list(_ request: Request) throws -> RequestOutcome {
        let page = try Page(request)
        let rows = try context.store.optOuts(before: page.before, limit: page.limit)
        return .respond(page.response(rows.map { ($0.seq, Documents.number($0.row)) }))
    }

    private static func isE164(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (6...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Documents {
    static func number(_ row: NumberState) -> JSON {
        [
            "number": .string(row.number),
            "stopped": row.stopped.map { .string($0.description) } ?? nil,
        ]
    }
}
