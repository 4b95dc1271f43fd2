import Directory
import Model

/// A notification of the app store about the plan of a person.
public struct BillingNotice: Hashable, Sendable {
    public var person: PersonID
    public var plan: Plan

    public init(person: PersonID, plan: Plan) {
        self.person = person
        self.plan = plan
    }
}

extension MembershipCore {
    /// Why a notification of the store changes nothing; nil if it is accepted.
    public func rejection(of notice: BillingNotice, at now: Timestamp) -> CommandRejection? {
        do {
            _ = try MembershipCore.changes(by: notice, in: directory, at: now)
            return nil
        } catch {
            return error
        }
    }

    /// The change that a notification of the store leads to. Only plans that the store bills
    /// change by it.
    static func changes(
        by notice: BillingNotice, in directory: Replica, at now: Timestamp
    ) throws(CommandRejection) -> [EventBody] {
        guard var person = directory.person(notice.person) else { throw .missing("person") }
        guard person.billing == .store else {
            throw CommandRejection(
                .conflict, "the operator bills the plan of this person", field: "person",
                hint: "set the billing source of the person to store first")
        }
        guard person.plan != notice.plan else { return [] }
        person.plan = notice.plan
        Trials.update(&person, in: directory, at: now)
        person.version += 1
        return [.personChanged(person)]
    }
}
