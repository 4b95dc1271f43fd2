import Hosting
import MembershipCore
import Model
import Web

/// Applies notifications of the app store, each once.
struct BillingRequests {
    private let runner: CoreRunner
    private let events: BillingEvents

    init(_ runner: CoreRunner) throws {
        self.runner = runner
        events = try BillingEvents(runner.host.database, runner.host.configuration)
    }

    func handle(_ request: Request) throws {
        let host = runner.host
        let event = try events.read(request, at: host.now)
        let person = event.notice.person
        if try events.isKnown(event), let person = runner.core.directory.person(person) {
            return host.answer(request.id, AnswerView.billing(person))
        }
        if let rejection = runner.core.rejection(of: event.notice, at: host.now) {
            throw Problem(rejection)
        }
        try runner.submit(.billing(event.notice), trace: request.trace)
        try events.save(event, at: host.now)
        if let person = runner.core.directory.person(person) {
            host.answer(request.id, AnswerView.billing(person))
        }
    }

    func prune() throws { try events.prune(at: runner.host.now) }
}
