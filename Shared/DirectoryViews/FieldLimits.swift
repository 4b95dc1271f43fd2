/// Limits of fields that the tables check.
package enum FieldLimits {
    package static let nameCharactersMax = 100
    /// How long members see each other's history, days; 0 = as long as each member's plan allows.
    package static let historyDays = 0...3650
    package static let timeZoneCharactersMax = 64
    package static let contactRankMax = 1000
    package static let contactLabelCharactersMax = 30
    package static let escalationPeopleMax = 50
    package static let escalationWaitSeconds = 10...3600
}

typealias Limits = FieldLimits
