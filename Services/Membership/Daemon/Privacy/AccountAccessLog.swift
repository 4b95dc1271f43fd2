import Hosting
import MembershipCore
import Model
import Runtime
import Web

/// Publishes who reads or changes the account of another person.
final class AccountAccessLog {
    private let runner: CoreRunner
    private var readings = AccessRecords()

    init(_ runner: CoreRunner) { self.runner = runner }

    /// Forgets the readings of a rolled-back turn.
    func rollBack() { readings.reset() }

    /// Records that somebody reads the account of another person.
    func recordReading(
        _ reading: Route.Reading, _ parameters: Parameters, by principal: Principal,
        _ reason: String?
    ) throws {
        guard AccountAccess.showsAccount(reading) else { return }
        var people = [try parameters.id("person", PersonID.self)]
        if case .wards = reading { people += runner.core.wards.wards(of: people[0]) }
        for person in people {
            let record = readings.reading(
                of: person, by: principal, reason: reason, at: runner.host.now)
            if let record { try publish(record) }
        }
    }

    /// Records that somebody changes the account of another person, unless it is rejected.
    func recordChange(of command: Command, _ reason: String?) throws {
        guard let access = AccountAccess.of(command.change),
            access.person != command.principal.person
        else { return }
        if case .rejected = runner.core.answer(to: command, at: runner.host.now) { return }
        try publish(
            AccessRecord(
                person: access.person, viewer: command.principal.person, at: runner.host.now,
                kind: access.kind, reason: reason))
    }

    private func publish(_ record: AccessRecord) throws {
        try runner.host.publish(
            Event(
                id: EventID(SecureRandom.id()), time: runner.host.now,
                body: .accessRecorded(record)),
            on: .directory)
    }
}
