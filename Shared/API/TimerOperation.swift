import Model

/// The timer's operations.
public enum TimerOperation: OperationID {
    case watch(Watches)
    case checkIns(CheckIns)
    case timer(Timers)

    /// Watches.
    public enum Watches: Sendable {
        case list, start, show, extend, end, cancel
    }

    /// Check-in schedules of a person.
    public enum CheckIns: Sendable {
        case list, create, show, replace, remove
    }

    /// The timer of a person.
    public enum Timers: Sendable {
        case show, start, stop
    }

    public static let service = ServiceName.timer

    public static let table: [RoutedOperation<TimerOperation>] = watches + checkIns + timers

    private static let watches: [RoutedOperation<TimerOperation>] = [
        .init(.get, "/v1/watches", .watch(.list), "listWatches", .signedIn),
        .init(
            .post, "/v1/watches", .watch(.start), "startWatch", .right(.watch), repeats: .minute),
        .init(.get, "/v1/watches/{watch}", .watch(.show), "readWatch", .right(.readPerson)),
        .init(.delete, "/v1/watches/{watch}", .watch(.cancel), "cancelWatch", .right(.watch)),
        .init(
            .post, "/v1/watches/{watch}/extension", .watch(.extend), "extendWatch", .right(.watch),
            repeats: .minute, limit: .none),
        .init(
            .post, "/v1/watches/{watch}/end", .watch(.end), "endWatch", .right(.watch),
            repeats: .minute, limit: .none),
    ]

    private static let checkIns: [RoutedOperation<TimerOperation>] = [
        .init(
            .get, "/v1/people/{person}/check-in-schedules", .checkIns(.list),
            "listCheckInSchedules", .right(.readPerson)),
        .init(
            .post, "/v1/people/{person}/check-in-schedules", .checkIns(.create),
            "createCheckInSchedule", .right(.watch)),
        .init(
            .get, "/v1/people/{person}/check-in-schedules/{schedule}", .checkIns(.show),
            "readCheckInSchedule", .right(.readPerson)),
        .init(
            .put, "/v1/people/{person}/check-in-schedules/{schedule}", .checkIns(.replace),
            "replaceCheckInSchedule", .right(.watch)),
        .init(
            .delete, "/v1/people/{person}/check-in-schedules/{schedule}", .checkIns(.remove),
            "deleteCheckInSchedule", .right(.watch)),
    ]

    private static let timers: [RoutedOperation<TimerOperation>] = [
        .init(.get, "/v1/people/{person}/timer", .timer(.show), "readTimer", .right(.watch)),
        .init(.put, "/v1/people/{person}/timer", .timer(.start), "startTimer", .right(.watch)),
        .init(.delete, "/v1/people/{person}/timer", .timer(.stop), "stopTimer", .right(.watch)),
    ]
}
