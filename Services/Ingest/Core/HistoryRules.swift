import Directory
import Model

/// How long the past of people is kept, by their plan and their circles.
public struct HistoryRules: Hashable, Sendable {
    /// Days that each plan keeps.
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

    /// Since when a person's past is kept: as far as their plan goes, and no farther than what the
    /// most patient of their circles wants. Nil for whoever is not in the directory.
    public func keptFrom(
        _ person: PersonID, in directory: Replica, at time: Timestamp
    ) -> Timestamp? {
        guard let known = directory.person(person) else { return nil }
        let plan = days(of: known.plan)
        let circles = directory.circles(of: person).compactMap(directory.circle)
        let wanted = circles.map { $0.historyDays ?? plan }.max() ?? plan
        return time - .seconds(Int64(min(plan, wanted)) * 86_400)
    }
}

extension Circle {
    /// Since when its members see each other's past: the beginning of a day, so that who reads at
    /// length sees the same to the end.
    func seenFrom(at now: Timestamp) -> Timestamp {
        guard let historyDays else { return .zero }
        let day = now.seconds / 86_400 - Int64(historyDays)
        return Timestamp(seconds: max(0, day) * 86_400)
    }
}
