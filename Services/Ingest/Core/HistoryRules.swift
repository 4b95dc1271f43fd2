import Directory
import Model

/// How long the history of people is kept, depending on their plan and circles.
public struct HistoryRules: Hashable, Sendable {
    /// Days of history in each plan.
    public var trialDays: Int
    public var paidDays: Int
    public var lapsedDays: Int

    public init(trialDays: Int = 30, paidDays: Int = 365, lapsedDays: Int = 30) {
        self.trialDays = trialDays
        self.paidDays = paidDays
        self.lapsedDays = lapsedDays
    }

    public func days(of plan: Plan) -> Int {
        switch plan {
        case .trial: trialDays
        case .paid: paidDays
        case .lapsed: lapsedDays
        }
    }

    /// The start of a person's kept history: limited by their plan and by the longest history that
    /// their circles show and the person agreed to. Nil if the person is unknown.
    public func historyStart(
        _ person: PersonID, in directory: Replica, at time: Timestamp
    ) -> Timestamp? {
        guard let known = directory.person(person) else { return nil }
        let plan = days(of: known.plan)
        let wanted =
            directory.circles(of: person).compactMap { id -> Int? in
                guard let circle = directory.circle(id), let member = circle.member(person) else {
                    return nil
                }
                return circle.historyDays(of: member) ?? plan
            }.max() ?? plan
        return time - .seconds(Int64(min(plan, wanted)) * 86_400)
    }
}
