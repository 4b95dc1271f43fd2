import Model

/// The timer's operations.
public enum TimerOperation: OperationID {
    case list, start, show, extend, end, cancel

    public static let service = ServiceName.timer

    public static let table: [RoutedOperation<TimerOperation>] = [
        .init(.get, "/v1/watches", .list, "listWatches", .signedIn),
        .init(.post, "/v1/watches", .start, "startWatch", .right(.watch), repeats: .minute),
        .init(.get, "/v1/watches/{watch}", .show, "readWatch", .right(.readPerson)),
        .init(.delete, "/v1/watches/{watch}", .cancel, "cancelWatch", .right(.watch)),
        .init(
            .post, "/v1/watches/{watch}/extension", .extend, "extendWatch", .right(.watch),
            repeats: .minute, limit: .none),
        .init(
            .post, "/v1/watches/{watch}/end", .end, "endWatch", .right(.watch), repeats: .minute,
            limit: .none),
    ]
}
