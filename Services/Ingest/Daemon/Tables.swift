import Hosting
import JourneysDaemon
import Store

/// The tables of ingest's store, beside those of the bus and the directory's replica.
///
/// Each feature has the migrations of its own tables. Features whose tables changed together share
/// a number.
enum Tables {
    static let migrations =
        [IdempotencyStore.migration]
        + merged([
            Writer.migrations, SequencingTable.migrations, StoredCheckpoints.migrations,
            DeviceTable.migrations, ReportTable.migrations, EmergencyTable.migrations,
            FollowedPositionTable.migrations, DeferredCalls.migrations,
            DeviceStatusTable.migrations, DeviceKeys.migrations,
            DeviceLogTable.migrations, AlarmTable.migrations, PolicyTable.migrations,
            ContactTable.migrations, DecisionTable.migrations, AccessTable.migrations,
            QuarantineTable.migrations, TopicTable.migrations, BrokerSecrets.migrations,
            Retention.migrations, Erasures.migrations, Replies.migrations, journeys,
        ])

    private static let journeys = [
        Migration(number: 7, sql: JourneyStore.tables),
        Migration(number: 12, sql: JourneyStore.columnsOfMovement),
    ]

    /// One migration per number, in order.
    private static func merged(_ features: [[Migration]]) -> [Migration] {
        let parts = Dictionary(grouping: features.joined(), by: \.number)
        return parts.keys.sorted().map { number in
            Migration(
                number: number, sql: (parts[number] ?? []).map(\.sql).joined(separator: "\n"))
        }
    }
}
